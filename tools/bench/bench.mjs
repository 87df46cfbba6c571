#!/usr/bin/env node
// Runs the parts of a benchmark one after the other, each to its end, and lists all missed bounds last:
// tools/bench/bench.mjs PART [PART ...], each part a command of the shell.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const MISSED = /\bMISSED\b/;

/** The line with the headings above it: the last lines before it that are indented less, of each depth one. */
export class Headings {
  #open = [];

  /** The headings of this line, from the outermost on, and the line. */
  place(line) {
    const depth = line.search(/\S/);
    if (depth < 0) {
      return [];
    }
    this.#open = this.#open.filter((heading) => heading.depth < depth);
    const path = [...this.#open.map((heading) => heading.text), line.trim()];
    this.#open.push({ depth, text: line.trim() });
    return path;
  }
}

/** Runs one part. Returns its misses, each with its headings; a part that fails without one is a miss itself. */
async function runPart(command, print) {
  print(`\n# ${command}`);
  const child = spawn(command, { shell: true, stdio: ['inherit', 'pipe', 'inherit'] });
  const [headings, misses] = [new Headings(), []];
  const ended = new Promise((resolve) => child.on('close', (status, signal) => resolve(signal ?? status)));
  for await (const line of createInterface({ input: child.stdout })) {
    print(line);
    const path = headings.place(line);
    if (MISSED.test(line)) {
      misses.push(path.join(' / '));
    }
  }
  const end = await ended;
  if (end !== 0 && misses.length === 0) {
    misses.push(`failed with ${end}`);
  }
  return misses.map((miss) => `${command}: ${miss}`);
}

/** Runs all parts and prints their misses last. Returns the misses. */
export async function run(commands, print = console.log) {
  const misses = [];
  for (const command of commands) {
    misses.push(...(await runPart(command, print)));
  }
  print(misses.length === 0 ? '\nAll bounds hold.' : `\n${misses.length} missed:\n${misses.join('\n')}`);
  return misses;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = (await run(process.argv.slice(2))).length === 0 ? 0 : 1;
}
