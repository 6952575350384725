import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced code block of a page. */
export interface Fence {
  /** The block's info string, such as `sh walk`: the language, then the tag by which a test finds the block. */
  readonly info: string;
  readonly text: string;
}

/** The fenced blocks of a page's text, in order, without their indentation. */
function fencesOf(markdown: string): readonly Fence[] {
  const blocks = markdown.matchAll(/^( *)```([^\n`]*)\n([^]*?)^\1```$/gm);
  return [...blocks].map(([, indent = '', info = '', text = '']) => ({
    info: info.trim(),
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Pages for users of Fairlead, as paths from the root: their code blocks are run, or listed with a reason. */
export async function pagesWithBlocks(): Promise<readonly string[]> {
  const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  const packages = await readdir(join(root, 'packages'));
  const readmes = await Promise.all(
    packages.map(async (name) =>
      (await readdir(join(root, 'packages', name))).includes('README.md')
        ? [`packages/${name}/README.md`]
        : [],
    ),
  );
  return [
    'README.md',
    'clients/python/README.md',
    ...docs.map((name) => `docs/${name}`),
    ...readmes.flat(),
  ].toSorted();
}

/** All fenced blocks of a page, given by its path from the root. */
export async function fencesOfPage(page: string): Promise<readonly Fence[]> {
  return fencesOf(await readFile(join(root, page), 'utf8'));
}

/** The texts of a page's blocks with this info string, such as `sh walk`, in order. Throws an error if there is none. */
export async function fences(page: string, info: string): Promise<readonly string[]> {
  const texts = (await fencesOfPage(page)).filter((block) => block.info === info).map(({ text }) => text);
  if (texts.length === 0) throw new Error(`${page} has no block \`\`\`${info}.`);
  return texts;
}

/** The text of the only block of a page with this info string, such as `js connect-server`. */
export async function fence(page: string, info: string): Promise<string> {
  const [text = '', ...others] = await fences(page, info);
  if (others.length > 0) throw new Error(`${page} has ${others.length + 1} blocks \`\`\`${info}.`);
  return text;
}
