/** Members to keep, by name; an empty tree keeps all members. */
export interface MemberTree {
  readonly [name: string]: MemberTree;
}

/** Builds the tree of paths such as `owner.id`. A path that is a prefix of others keeps everything below it. */
export function memberTree(paths: readonly string[]): MemberTree {
  const root = new Map<string, string[]>();
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    const below = root.get(name);
    if (below === undefined) root.set(name, rest.length === 0 ? ['*'] : [rest.join('.')]);
    else below.push(rest.length === 0 ? '*' : rest.join('.'));
  }
  return Object.fromEntries(
    [...root].map(([name, below]) => [name, below.includes('*') ? {} : memberTree(below)]),
  );
}

/** Whether the tree keeps everything. */
export function keepsAll(tree: MemberTree): boolean {
  return Object.keys(tree).length === 0;
}

/** A tree as Google's member selector: `id,start,attendees(email)`. */
export function selectorOf(tree: MemberTree): string {
  return Object.entries(tree)
    .map(([name, below]) => (keepsAll(below) ? name : `${name}(${selectorOf(below)})`))
    .join(',');
}
