// Checks the repository with every guard. Prints the faults; the exit status is 1 if there is any.
import { fileURLToPath } from 'node:url';
import { architectureFaults } from './architecture.mjs';
import { asvsFaults } from './asvs.mjs';
import { committedFaults } from './committed.mjs';
import { dialectFaults } from './dialect.mjs';
import { documentFaults } from './documents.mjs';
import { glossaryFaults } from './glossary.mjs';
import { linkFaults } from './links.mjs';
import { metricFaults } from './metrics.mjs';
import { permissionFaults } from './permissions.mjs';
import { referenceFaults } from './references.mjs';
import { requirementFaults } from './requirements.mjs';
import { roomFaults } from './rooms.mjs';
import { transactionFaults } from './transactions.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const faults = [
  committedFaults,
  permissionFaults,
  requirementFaults,
  referenceFaults,
  linkFaults,
  glossaryFaults,
  transactionFaults,
  asvsFaults,
  metricFaults,
  dialectFaults,
  documentFaults,
  architectureFaults,
  roomFaults,
].flatMap((guard) => guard(root));

for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
