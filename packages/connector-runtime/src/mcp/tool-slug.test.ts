import { expect, it } from 'vitest';
import { toolSlugs } from './tool-slug.ts';

it('turns any name into lower-case words with dashes', () => {
  expect([...toolSlugs(['echo', 'getSum', 'list_files', 'Ädd  Item!'])]).toEqual(
    expect.arrayContaining([
      ['echo', 'echo'],
      ['getSum', 'get-sum'],
      ['list_files', 'list-files'],
      ['Ädd  Item!', 'dd-item'],
    ]),
  );
});

it('keeps slugs unique, within 60 characters and of [a-z0-9-], whatever the names', () => {
  const long = 'x'.repeat(80);
  const names = ['a b', 'a-b', 'a_b', 'A B', '', '___', '日本', '中国', long, `${long}y`, 'a'.repeat(60)];
  const slugs = [...toolSlugs(names).values()];
  expect(new Set(slugs).size).toBe(names.length);
  for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$/);
});

it('keeps the slug of a name that is its own slug when another name shares it', () => {
  expect(toolSlugs(['a-b', 'a_b']).get('a-b')).toBe('a-b');
});

it('returns the same slugs for any order, and for a name regardless of the others', () => {
  const names = ['a b', 'a_b', 'getSum', 'x'.repeat(80)];
  const there = toolSlugs(names);
  const back = toolSlugs(names.toReversed());
  for (const name of names) expect(back.get(name)).toBe(there.get(name));
  expect(toolSlugs(['getSum', 'other']).get('getSum')).toBe(there.get('getSum'));
});
