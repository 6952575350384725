import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../docs/adr/', import.meta.url));
const MAX_WORDS = 600;
const TITLE = /^# (\d+)\. [A-Z].*[^.\s]$/;
const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const LINK = String.raw`\[(\d+)\]\((\d{4})-[a-z0-9-]+\.md\)`;
const ACCEPTED = new RegExp(`^Accepted, ${DATE}\\.(?: Amended, ${DATE}\\.)?$`);
const SUPERSEDED = new RegExp(`^Superseded by ${LINK}(?: and ${LINK})*, ${DATE}\\.$`);
const HEADINGS = ['Context', 'Decision', 'Consequences', 'Alternatives'];

const records = globSync('*.md', { cwd: FOLDER });

/** The problems of a record; none if it has the form required by CONTRIBUTING.md. */
function problemsOf(file: string, text: string): readonly string[] {
  const [title = '', , status = ''] = text.split('\n');
  const number = TITLE.exec(title)?.[1];
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  const successors = status.startsWith('Superseded')
    ? [...status.matchAll(/\[(\d+)\]\((\S+?)\)/g)].map(([, named = '', target = '']) => ({ named, target }))
    : [];
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  const checks: readonly (readonly [string, boolean])[] = [
    ['the first line is no title like "# 12. Limits are leased"', number !== undefined],
    ['the number differs from that of the file', number?.padStart(4, '0') === file.slice(0, 4)],
    ['the line below the title is no status', ACCEPTED.test(status) || SUPERSEDED.test(status)],
    ['the headings differ', headings.join() === HEADINGS.join()],
    [`it has ${words} words`, words <= MAX_WORDS],
    [
      'a successor is not there',
      successors.every(
        ({ named, target }) => target.startsWith(named.padStart(4, '0')) && existsSync(FOLDER + target),
      ),
    ],
  ];
  return checks.filter(([, holds]) => !holds).map(([problem]) => `${file}: ${problem}`);
}

it('each decision record has a title with its number, a status with a date, four headings and at most 600 words', () => {
  expect(records.length).toBeGreaterThan(70);
  expect(records.flatMap((file) => problemsOf(file, readFileSync(FOLDER + file, 'utf8')))).toEqual([]);
});

it('finds a wrong number, a status without a date, a missing heading, too many words and a successor that is not there', () => {
  const record = (title: string, status: string, rest = '') =>
    `${title}\n\n${status}\n\n${HEADINGS.map((heading) => `## ${heading}\n\nText.\n`).join('\n')}${rest}`;
  const file = '0012-x.md';
  expect(problemsOf(file, record('# 12. Limits are leased', 'Accepted, 2026-11-21.'))).toEqual([]);
  expect(problemsOf(file, record('# 13. Limits are leased', 'Accepted, 2026-11-21.'))).toHaveLength(1);
  expect(problemsOf(file, record('# Limits are leased', 'Accepted, 2026-11-21.'))).toHaveLength(2);
  expect(problemsOf(file, record('# 12. Limits are leased', 'Accepted.'))).toHaveLength(1);
  expect(
    problemsOf(file, record('# 12. Limits are leased', 'Accepted, 2026-11-21.', '\n## More\n')),
  ).toHaveLength(1);
  expect(
    problemsOf(file, record('# 12. Limits are leased', 'Accepted, 2026-11-21.', 'word '.repeat(MAX_WORDS))),
  ).toHaveLength(1);
  expect(
    problemsOf(file, record('# 12. Limits are leased', 'Superseded by [99](0099-gone.md), 2026-11-21.')),
  ).toEqual([`${file}: a successor is not there`]);
});
