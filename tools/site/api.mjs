// The reference of the console's API, from its OpenAPI document.

export function apiPage(document) {
  const byTag = new Map();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'other'] = operation.tags ?? [];
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationText(document, method.toUpperCase(), path, operation)]);
    }
  const tags = [...byTag].map(([tag, operations]) => `## ${heading(tag)}\n\n${operations.join('\n')}`);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => schemaText(name, schema));
  return [
    '# Console API',
    '',
    `Generated from [openapi.json](../../api/openapi.json), version ${document.info.version}.`,
    '[Conventions](../api-design.md) describes sessions, errors, lists and events, which all operations share.',
    '',
    ...tags,
    '## Schemas',
    '',
    ...schemas,
  ].join('\n');
}

function operationText(document, method, path, operation) {
  const lines = [`### \`${method} ${path}\``, '', operation.summary ?? '', ''];
  if (operation.description) lines.push(operation.description, '');
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(document, parameter));
  if (parameters.length > 0) {
    lines.push('| Parameter | In | Type | |', '| --- | --- | --- | --- |');
    for (const { name, in: place, schema, required, description = '' } of parameters)
      lines.push(`| \`${name}\`${required ? ' (required)' : ''} | ${place} | ${type(schema)} | ${cell(description)} |`);
    lines.push('');
  }
  for (const [media, { schema }] of Object.entries(operation.requestBody?.content ?? {}))
    lines.push(`Body, ${media}: ${type(schema)}`, '');
  lines.push('| Status | | Body |', '| --- | --- | --- |');
  for (const [status, response] of Object.entries(operation.responses)) {
    const bodies = Object.entries(response.content ?? {}).map(([media, { schema }]) => `${media}: ${type(schema)}`);
    lines.push(`| ${status} | ${cell(response.description)} | ${bodies.join('<br>')} |`);
  }
  return [...lines, ''].join('\n');
}

function schemaText(name, schema) {
  const lines = [`### ${name} {#${anchor(name)}}`, '', schema.description ?? '', ''];
  const properties = [schema, ...(schema.allOf ?? [])].flatMap((part) =>
    Object.entries(part.properties ?? {}).map(([property, its]) => [property, its, part.required?.includes(property)]),
  );
  const bases = (schema.allOf ?? []).filter((part) => part.$ref).map(type);
  if (bases.length > 0) lines.push(`All members of ${bases.join(', ')}.`, '');
  if (properties.length > 0) {
    lines.push('| Member | Type | |', '| --- | --- | --- |');
    for (const [property, its, required] of properties)
      lines.push(`| \`${property}\`${required ? '' : ' (optional)'} | ${type(its)} | ${cell(its.description ?? '')} |`);
    lines.push('');
  } else if (bases.length === 0) lines.push(type(schema), '');
  return lines.join('\n');
}

/** A schema in a few words, with links to named schemas. */
function type(schema) {
  if (!schema) return '';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return `[${name}](#${anchor(name)})`;
  }
  for (const several of ['oneOf', 'anyOf', 'allOf'])
    if (schema[several]) return schema[several].map(type).join(several === 'allOf' ? ' and ' : ' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const types = [schema.type ?? 'any'].flat().map((name) => {
    if (name === 'array') return `array of ${type(schema.items)}`;
    if (name === 'object' && schema.additionalProperties?.type) return `map of ${type(schema.additionalProperties)}`;
    return name;
  });
  return `${types.join(' or ')}${limits(schema)}`;
}

function limits({ format, minimum, maximum, minLength, maxLength, minItems, maxItems }) {
  const range = (from, to, unit) => {
    if (from === undefined && to === undefined) return undefined;
    if (to === undefined) return `at least ${from}${unit}`;
    return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
  };
  const all = [
    format,
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
  ].filter((limit) => limit !== undefined);
  return all.length > 0 ? ` (${all.join(', ')})` : '';
}

function resolved(document, part) {
  if (!part.$ref) return part;
  return part.$ref
    .slice('#/'.length)
    .split('/')
    .reduce((at, key) => at[key], document);
}

/** Tags have headings, too, of which some have the name of a schema. */
const anchor = (name) => `schema-${name.toLowerCase()}`;
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
const heading = (tag) => tag[0].toUpperCase() + tag.slice(1).replaceAll('-', ' ');
