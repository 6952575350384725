import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { servedTool } from '../testing/served.ts';
import { toolPages } from './list-page.ts';
import type { ToolPages } from './list-page.ts';

const named = (count: number) =>
  Array.from({ length: count }, (_tool, at) => servedTool(`tool-${String(at).padStart(4, '0')}`));

function readAll(pages: ToolPages) {
  const read: unknown[][] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = pages.page(cursor, false);
    read.push(page?.tools.parse() as unknown[]);
    cursor = page?.nextCursor;
  }
  return read;
}

test('pages have a thousand tools at most, in order of their names, each once', () => {
  const tools = named(1_250);
  const read = readAll(toolPages(tools.toReversed()));
  expect(read.map((page) => page.length)).toEqual([1_000, 250]);
  expect(read.flat()).toEqual(tools.map(({ name }) => ({ name })));
  expect(readAll(toolPages(named(1_000)))).toHaveLength(1);
  expect(readAll(toolPages([]))).toEqual([[]]);
});

test('pages end at a MiB, but each has a tool', () => {
  const large = ['a', 'b', 'c'].map((name) =>
    servedTool(name, { listed: LazyJson.of({ name, description: 'x'.repeat(600_000) }) }),
  );
  expect(readAll(toolPages(large)).map((page) => page.length)).toEqual([1, 1, 1]);
});

test('a cursor goes on behind its tool when that has gone; others are refused', () => {
  const tools = named(1_050);
  const cursor = toolPages(tools).page(undefined, false)?.nextCursor;
  const without = toolPages(tools.filter(({ name }) => name !== 'tool-0999'));
  expect(without.page(cursor, false)?.tools.parse()).toHaveLength(50);
  for (const wrong of ['', 'x', `${cursor ?? ''}=`, Buffer.from('no name').toString('base64url')])
    expect(toolPages(tools).page(wrong, false)).toBeUndefined();
});

test('a page is made once', () => {
  const pages = toolPages(named(3));
  expect(pages.page(undefined, false)).toBe(pages.page(undefined, false));
});

test('a page that no list has named is made for each request', () => {
  const pages = toolPages(named(1_250));
  const cursor = Buffer.from('tool-0007').toString('base64url');
  expect(pages.page(cursor, false)?.tools.parse()).toHaveLength(1_000);
  expect(pages.page(cursor, false)).not.toBe(pages.page(cursor, false));
  const second = pages.page(undefined, false)?.nextCursor;
  expect(pages.page(second, false)).toBe(pages.page(second, false));
});

test('entries say that they may be called as tasks only where that is asked for', () => {
  const pages = toolPages(named(2));
  const tasks = pages.page(undefined, true)?.tools.parse();
  const execution = { taskSupport: 'optional' };
  expect(tasks).toEqual([
    { name: 'tool-0000', execution },
    { name: 'tool-0001', execution },
  ]);
  expect(pages.page(undefined, false)?.tools.parse()).toEqual([{ name: 'tool-0000' }, { name: 'tool-0001' }]);
  expect(pages.page(undefined, true)?.tools.parse()).toEqual(tasks);
});
