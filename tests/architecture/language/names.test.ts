import { expect, it } from 'vitest';
import { findRuledOut, ruledOutNames } from './names.ts';

it('functions are named by the verbs of docs/glossary.md: none is make…, no async one a participle alone', () => {
  expect(ruledOutNames()).toEqual([]);
});

it('functions and constants are found by their verb', () => {
  // Put together here, because this file is searched, too.
  const [make, work] = ['make', 'async function'];
  const source = `function ${make}Rows() {}\nexport const ${make} = 1;\nconst ${make}r = ${make}It();`;
  expect(findRuledOut(source)).toEqual(['makeRows', 'make']);
  expect(
    findRuledOut(`${work} merged() {}\n${work}* sent() {}\n${work} feed() {}\nfunction sorted() {}`),
  ).toEqual(['merged', 'sent']);
});
