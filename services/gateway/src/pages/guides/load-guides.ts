import { readFile, readdir } from 'node:fs/promises';
import { extname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GUIDES_PATH } from '../addresses.ts';
import { GUIDES } from './guide-list.ts';
import type { GuideEntry } from './guide-list.ts';
import { renderGuide, withServedLinks } from './render-guide.ts';
import type { GuideLinks, RenderedGuide } from './render-guide.ts';

/** The docs folder of the checkout or image that this file is part of. */
export const DOCS_FOLDER = fileURLToPath(new URL('../../../../../docs/', import.meta.url));

const PICTURE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
};

/** A guide, ready to be served. */
export interface Guide extends RenderedGuide {
  readonly path: `/${string}`;
  readonly summary: string;
  /** Markdown whose links are absolute addresses of the installation. */
  readonly markdown: string;
}

/** A picture of the guides. */
export interface Picture {
  /** The picture's path in the docs folder. */
  readonly file: string;
  readonly path: `/${string}`;
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * The guides and every picture in the docs folder. Rejects if a guide of the list or one of its pictures is missing: an
 * installation without its docs does not start.
 */
export async function loadGuides(o: {
  readonly publicUrl: string;
  readonly entries?: readonly GuideEntry[];
  readonly folder?: string;
}): Promise<{ readonly guides: readonly Guide[]; readonly pictures: readonly Picture[] }> {
  const { publicUrl, entries = GUIDES, folder = DOCS_FOLDER } = o;
  const pictures = await loadPictures(folder);
  const pictureFiles = new Set(pictures.map(({ file }) => file));
  const files = new Set(entries.map(({ name }) => `${name}.md`));
  const links = (ending: '' | '.md', base: string): GuideLinks => ({
    page: (file) => (files.has(file) ? base + pathOf(file.slice(0, -'.md'.length)) + ending : undefined),
    picture: (file) => (pictureFiles.has(file) ? base + pathOf(file) : undefined),
  });
  const guides = entries.map(async ({ name, summary }): Promise<Guide> => {
    const file = join(folder, `${name}.md`);
    try {
      const markdown = await readFile(file, 'utf8');
      return {
        ...renderGuide(markdown, links('', '')),
        path: pathOf(name),
        summary,
        markdown: withServedLinks(markdown, links('.md', publicUrl)),
      };
    } catch (error) {
      throw new Error(`The guide ${file} cannot be served.`, { cause: error });
    }
  });
  return { guides: await Promise.all(guides), pictures };
}

function pathOf(name: string): `/${string}` {
  return `${GUIDES_PATH}/${name}`;
}

async function loadPictures(folder: string): Promise<readonly Picture[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.split(sep).join(posix.sep));
  const pictures = names.flatMap((name) => {
    const contentType = PICTURE_TYPES[extname(name)];
    return contentType === undefined ? [] : [{ name, contentType }];
  });
  return Promise.all(
    pictures.map(async ({ name, contentType }) => ({
      file: name,
      path: pathOf(name),
      contentType,
      body: await readFile(join(folder, name)),
    })),
  );
}
