import { createHash } from 'node:crypto';

const MAX_LENGTH = 60;
const HASH_LENGTH = 8;

/**
 * Unique slugs for a server's tool names: lower case, `[a-z0-9-]`, at most 60 characters. A name that is cut, or
 * whose plain slug collides with another name's, gets a hash of the name as its suffix. So a new tool never changes
 * the slug of a tool with an uncut, unique name, and the order of names does not matter.
 */
export function toolSlugs(names: readonly string[]): Map<string, string> {
  const distinct = [...new Set(names)];
  const counts = new Map<string, number>();
  for (const name of distinct) counts.set(plainSlug(name), (counts.get(plainSlug(name)) ?? 0) + 1);
  const taken = new Set<string>();
  const slugs = new Map<string, string>();
  for (const name of distinct.toSorted()) {
    const plain = plainSlug(name);
    const isFit = plain !== '' && plain.length <= MAX_LENGTH;
    const isOwn = isFit && (plain === name || counts.get(plain) === 1);
    let slug = isOwn ? plain : withHash(plain, name);
    // A name may equal the suffixed slug of another name.
    for (let round = 1; taken.has(slug); round += 1) slug = withHash(plain, `${name}\n${round}`);
    taken.add(slug);
    slugs.set(name, slug);
  }
  return slugs;
}

function plainSlug(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  return words.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
}

function withHash(plain: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const stem = (plain === '' ? 'tool' : plain).slice(0, MAX_LENGTH - HASH_LENGTH - 1).replace(/-+$/, '');
  return `${stem}-${hash}`;
}
