import { expect, it } from 'vitest';
import { findMake, namesWithMake } from './names.ts';

it('no function is named make…; docs/glossary.md says which verb means what', () => {
  expect(namesWithMake()).toEqual([]);
});

it('functions and constants are found by their verb', () => {
  // Put together here, because this file is searched, too.
  const verb = 'make';
  const source = `async function* ${verb}Rows() {}\nexport const ${verb} = 1;\nconst ${verb}r = ${verb}It();`;
  expect(findMake(source)).toEqual(['makeRows', 'make']);
});
