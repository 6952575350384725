import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Icon, Icons } from '../logo.ts';
import { readIfThere } from '../read-if-there.ts';
import { extractMembers, failureOf } from './extract-members.ts';
import type { FetchArchive, FetchFailure } from './extract-members.ts';
import { fetchArchive } from './fetch-archive.ts';
import type { PinnedPackage } from './fetch-archive.ts';

/** The package with brand icons, in the public domain (CC0). Its later versions have fewer of our vendors. */
const SIMPLE_ICONS: PinnedPackage = {
  registry: 'npm',
  package: 'simple-icons',
  version: '11.15.0',
  integrity:
    'sha512-uDAdtIGc56YJiGpdzImENY4E+5qtHEorW11KoXiwDj4u4YSY74G+q/a9idlY8iEqrjghHGkZ/ras0jRT7JpDTQ==',
};
const COLORS_FILE = '_data/simple-icons.json';
const ICON_FILE = /^icons\/([a-z0-9]+)\.svg$/;
const SVG = /<title>([^<]*)<\/title><path d="([^"<>]+)"\/>/;
/** Maximum size of an icon; a logo is part of every record of an application. */
const MAX_PATH_LENGTH = 6_000;

const iconsSchema = z.record(z.string(), z.strictObject({ color: z.string(), path: z.string() }));
const colorsSchema = z.object({
  icons: z.array(z.object({ title: z.string(), hex: z.string().regex(/^[0-9A-F]{6}$/) })),
});

/** The brand icons in a cache folder. */
export interface IconStore {
  /** Fetches the icons if they are missing. Resolves to the failure, if any. */
  readonly fetchMissing: (fetch?: FetchArchive) => Promise<FetchFailure | undefined>;
  /** The icons; undefined: they are missing. */
  readonly read: () => Promise<Icons | undefined>;
}

/** The icons of `pinned` in `directory`, in a file whose name is the digest of their archive. */
export function openIconStore(directory: string, pinned: PinnedPackage = SIMPLE_ICONS): IconStore {
  const file = join(
    directory,
    `icons-${createHash('sha256').update(pinned.integrity).digest('hex').slice(0, 32)}.json`,
  );
  const fetchIcons = async (fetch: FetchArchive): Promise<void> => {
    await mkdir(directory, { recursive: true });
    const isWanted = (path: string): boolean => path === COLORS_FILE || ICON_FILE.test(path);
    await extractMembers({ directory, pinned, fetch, isWanted }, (members, put) =>
      put(file, JSON.stringify(iconsOf(members))),
    );
  };
  return {
    async fetchMissing(fetch = fetchArchive) {
      if ((await readIfThere(file)) !== undefined) return undefined;
      return fetchIcons(fetch).then(
        () => undefined,
        (error: unknown) => failureOf(pinned, error),
      );
    },
    async read() {
      const text = await readIfThere(file);
      return text === undefined ? undefined : new Map(Object.entries(iconsSchema.parse(JSON.parse(text))));
    },
  };
}

function iconsOf(members: ReadonlyMap<string, Buffer>): Readonly<Record<string, Icon>> {
  const colors = members.get(COLORS_FILE);
  if (colors === undefined) throw new Error(`it has no file ${COLORS_FILE}`);
  const { icons } = colorsSchema.parse(JSON.parse(colors.toString()));
  const byTitle = new Map(icons.map(({ title, hex }) => [title, hex]));
  return Object.fromEntries(
    [...members].flatMap(([path, content]) => {
      const name = ICON_FILE.exec(path)?.[1];
      const [, title = '', drawing] = SVG.exec(content.toString()) ?? [];
      const color = byTitle.get(title.replaceAll('&amp;', '&'));
      if (name === undefined || drawing === undefined || color === undefined) return [];
      return drawing.length > MAX_PATH_LENGTH ? [] : [[name, { color, path: drawing }]];
    }),
  );
}
