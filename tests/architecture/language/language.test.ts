import { expect, it } from 'vitest';
import { readBaseline } from './lower-baseline.ts';
import { countRiddles, docstringSentences, markdownSentences } from './riddles.ts';

it('no area gets a sentence more that avoids its noun (What …, Of …, Those …); npm run generate lowers the baseline', () => {
  expect(countRiddles()).toEqual(readBaseline());
});

it('sentences are found in docstrings over several lines, and in headings, list items and cells of Markdown', () => {
  // Built from parts, because this file is searched, too.
  const docstring = (text: string): string => `/**${text}*/`;
  const source = `${docstring('\n * The first. What it\n * is. ')}\nconst a = 1; // Of no docstring.\n${docstring(' Whose? ')}`;
  expect(docstringSentences(source)).toEqual(['The first.', 'What it is.', 'Whose?']);
  const page =
    '# Of names\nOne\nline. Those of it.\n- **What** counts\n1. Whom\n\n| That of it | two |\n```\nWhat code\n```\n';
  expect(markdownSentences(page)).toEqual([
    'Of names',
    'One line.',
    'Those of it.',
    'What** counts',
    'Whom',
    'That of it',
    'two',
  ]);
});
