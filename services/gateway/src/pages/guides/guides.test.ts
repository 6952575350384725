import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GUIDES } from './guide-list.ts';
import { DOCS_FOLDER, loadGuides } from './load-guides.ts';
import { linksIn, renderGuide, withServedLinks } from './render-guide.ts';

const NO_LINKS = { page: () => undefined, picture: () => undefined };
const LINKS = {
  page: (file: string) => (file === 'limits.md' ? '/docs/guides/limits' : undefined),
  picture: (file: string) => (file === 'pictures/page.png' ? '/docs/guides/pictures/page.png' : undefined),
};
const contentOf = (markdown: string) =>
  renderGuide(`# T\n\n${markdown}`, LINKS).content.text.replace('<h1 id="t">T</h1>\n', '');

/** Pages for people who change Fairlead; an installation does not serve them. */
const FOR_CONTRIBUTORS = [
  'architecture',
  'contract-coverage',
  'glossary',
  'performance',
  'testing',
  'where-to-add',
];

describe('the guides of the repository', () => {
  test('each text in docs/ is in guide-list.ts, or is for contributors and named in this test', async () => {
    const texts = (await readdir(DOCS_FOLDER)).filter((name) => name.endsWith('.md'));
    const names = [...GUIDES.map(({ name }) => name), ...FOR_CONTRIBUTORS].sort();
    expect(texts.map((name) => name.slice(0, -'.md'.length)).sort()).toEqual(names);
  });

  test('each link leads to a file of the repository, and to a heading in it', async () => {
    for (const { name } of GUIDES) {
      const markdown = await readFile(join(DOCS_FOLDER, `${name}.md`), 'utf8');
      for (const { href } of linksIn(markdown)) {
        if (/^(https?:|mailto:|\/)/.test(href)) continue;
        const [file = '', anchor] = href.split('#', 2);
        const target = join(DOCS_FOLDER, file === '' ? `${name}.md` : file);
        expect(existsSync(target), `${name}.md: ${href}`).toBe(true);
        if (anchor === undefined) continue;
        const { content } = renderGuide(await readFile(target, 'utf8'), NO_LINKS);
        expect(content.text, `${name}.md: ${href}`).toContain(` id="${anchor}"`);
      }
    }
  });

  test('each has a title and a summary that is a sentence', async () => {
    const { guides } = await loadGuides({ publicUrl: 'https://api.test.example' });
    expect(guides).toHaveLength(GUIDES.length);
    for (const { title, summary } of guides) {
      expect(title).not.toBe('');
      expect(summary).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('a guide', () => {
  test('shows markup in its text as text', () => {
    const content = contentOf(
      '<script>alert(1)</script>\n\nA <img src=x onerror=alert(2)> `<b>`\n\n```html\n<i>\n```',
    );
    expect(content).not.toMatch(/<(script|img|b|i)\b/);
    expect(content).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(content).toContain('<code>&lt;i&gt;</code>');
  });

  test('leads to other guides, within itself and to other sites; a link to a file that is not served is text', () => {
    expect(
      contentOf('[a](limits.md) [b](./limits.md#calls) [c](#here) [d](https://example.com/?a=1&b=2)'),
    ).toBe(
      '<p><a href="/docs/guides/limits">a</a> <a href="/docs/guides/limits#calls">b</a> <a href="#here">c</a> <a href="https://example.com/?a=1&amp;b=2">d</a></p>\n',
    );
    expect(contentOf('[ADR `1`](adr/0001-x.md), [s](../SECURITY.md)')).toBe('<p>ADR <code>1</code>, s</p>\n');
  });

  test('never leads to a script', () => {
    for (const address of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x'])
      expect(contentOf(`[a](${address})`)).toBe('<p>a</p>\n');
  });

  test('has GitHub’s anchors, also for headings of the same name', () => {
    const { content, sections, title } = renderGuide('# A `b` & c\n\n## Keys\n\n## Keys\n\n### D', LINKS);
    expect(title).toBe('A b & c');
    expect(sections).toEqual([
      { id: 'keys', title: 'Keys' },
      { id: 'keys-1', title: 'Keys' },
    ]);
    expect(content.text).toContain('<h1 id="a-b--c">A <code>b</code> &amp; c</h1>');
  });

  test('shows pictures of the docs folder, and no others', () => {
    expect(contentOf('![A "page"](pictures/page.png)')).toContain(
      '<img src="/docs/guides/pictures/page.png" alt="A &quot;page&quot;" />',
    );
    for (const href of ['pictures/none.png', 'https://example.com/x.png', '../x.png'])
      expect(() => contentOf(`![x](${href})`)).toThrow(`The picture ${href} is not in the docs folder.`);
  });

  test('as Markdown has absolute links, or none', () => {
    const links = {
      ...LINKS,
      page: (file: string) =>
        file === 'limits.md' ? 'https://api.test.example/docs/guides/limits.md' : undefined,
    };
    expect(
      withServedLinks(
        '# T\n\n- [a *b*](limits.md#calls), https://example.com, [ADR 1](adr/0001-x.md) ![p](pictures/page.png)\n',
        links,
      ),
    ).toBe(
      '# T\n\n- [a *b*](https://api.test.example/docs/guides/limits.md#calls), https://example.com, ADR 1 ![p](/docs/guides/pictures/page.png)\n',
    );
  });
});

test('an installation without a guide of the list, or without its picture, does not start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-guides-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const load = () =>
    loadGuides({ publicUrl: 'https://api.test.example', folder, entries: [{ name: 'a', summary: 'A.' }] });
  await expect(load()).rejects.toThrow(`The guide ${join(folder, 'a.md')} cannot be served.`);
  await writeFile(join(folder, 'a.md'), '# A\n\n![x](pictures/x.png)\n');
  await expect(load()).rejects.toThrow('cannot be served');
  await mkdir(join(folder, 'pictures'));
  await writeFile(join(folder, 'pictures/x.png'), 'PNG');
  const { guides, pictures } = await load();
  expect(guides.map(({ path, title }) => [path, title])).toEqual([['/docs/guides/a', 'A']]);
  expect(pictures.map(({ path, contentType }) => [path, contentType])).toEqual([
    ['/docs/guides/pictures/x.png', 'image/png'],
  ]);
});
