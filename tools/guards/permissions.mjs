// quality/permissions.tsv: one line per kind and operation. The authorisation tests look up a line by these two columns;
// if an operation had two lines, they would check only one of them.
import { readTable, widthFaults } from './table.mjs';

const PATH = 'quality/permissions.tsv';

export function permissionFaults(root) {
  const table = readTable(root, PATH);
  const seen = new Map();
  const faults = widthFaults(PATH, table);
  for (const { number, cells } of table.rows) {
    for (const name of operationsOf(cells[0], cells[1])) {
      const first = seen.get(name);
      if (first) faults.push(`${PATH}:${number}: '${name}' is already on line ${first}`);
      else seen.set(name, number);
    }
  }
  return faults;
}

/**
 * A line of kind `app-api` can name several operations: `POST, PUT /api/x (remark)`. A line about a part of an
 * operation (`PUT /api/x: part`) and a line of any other kind have one name each.
 */
function operationsOf(kind, operation) {
  const [, methods, path] = (kind === 'app-api' && /^([A-Z, ]+?) (\/\S+[^:\s])(?: \(.*\))?$/.exec(operation)) || [];
  if (!path) return [`${kind} ${operation}`];
  return methods.split(',').map((method) => `${kind} ${method.trim()} ${path}`);
}
