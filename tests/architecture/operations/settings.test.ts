import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings, settingsTable, withTable } from './settings.ts';

const page = (): string => readFileSync(new URL('../../../docs/production.md', import.meta.url), 'utf8');

/** Rows without alignment spaces. */
const plain = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.replaceAll(/ +/g, ' '));

test('docs/production.md has every variable of every service: run npm run generate', async () => {
  expect(plain(page())).toEqual(plain(withTable(page(), await settingsTable())));
});

test('every variable has a docstring that says what it does', async () => {
  const all = await settings();
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(({ effect }) => effect === '').map(({ name }) => name)).toEqual([]);
});

test('a variable that one service alone defaults differently says so', async () => {
  const row = (await settingsTable()).find((line) => line.includes('`SHUTDOWN_GRACE_MS`'));
  expect(row).toContain('| all | `10000`; delivery `12000` |');
});

test('the table of another section stays', () => {
  const text = '# P\n\n| a |\n\n## All settings\n\nText.\n\n| old |\n| --- |\n\n## Next\n\n| b |\n';
  expect(withTable(text, ['| new |'])).toBe(
    '# P\n\n| a |\n\n## All settings\n\nText.\n\n| new |\n\n## Next\n\n| b |\n',
  );
});
