import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Figures that depend on the machine's load: times, CPU time, memory. */
const FIGURES = /\b(?:performance\.now|threadCpuUsage|cpuUsage|memoryUsage|hrtime|resourceUsage)\s*\(/;

const tests = globSync('{packages,services,samples,tools,connectors,tests}/**/*.test.ts', {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).map((file) => ({ file, text: readFileSync(`${ROOT}${file}`, 'utf8') }));

/** The arguments of each call that begins with `start`. Brackets inside texts are counted, too, which does no harm here. */
function calls(text: string, start: RegExp): readonly (readonly string[])[] {
  return [...text.matchAll(start)].map(({ 0: begun, index }) => {
    const given = [''];
    for (let at = index + begun.length, depth = 1; at < text.length; at += 1) {
      const character = text[at] ?? '';
      if ('([{'.includes(character)) depth += 1;
      if (')]}'.includes(character)) depth -= 1;
      if (depth === 0) break;
      if (depth === 1 && character === ',') given.push('');
      else given.push((given.pop() ?? '') + character);
    }
    return given.filter((argument) => argument.trim() !== '');
  });
}

/** The files with such a call whose arguments have this kind of figure. */
const filesWith = (start: RegExp, isOfKind: (given: readonly string[]) => boolean): readonly string[] =>
  tests.filter(({ text }) => calls(text, start).some(isOfKind)).map(({ file }) => file);

it('no test asserts a time, CPU time or memory: such figures belong to tests/bench and to scripts', () => {
  expect(tests.length).toBeGreaterThan(500);
  expect(filesWith(/\bexpect\(/g, (given) => given.some((argument) => FIGURES.test(argument)))).toEqual([]);
});

it('no test waits for the second only that vi.waitFor and vi.waitUntil allow by default', () => {
  expect(filesWith(/\bvi\.wait(?:For|Until)\(/g, ({ length }) => length < 2)).toEqual([]);
});
