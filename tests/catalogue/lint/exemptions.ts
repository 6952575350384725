import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Exempt } from './tool-problems.ts';

const because = z.string().min(20);
const schema = z.strictObject({
  slugs: z.array(z.strictObject({ tool: z.string(), because })),
  few: z.array(z.strictObject({ application: z.string(), because })),
});

/** The exemptions in `exemptions.yaml`, and those that no check has used. */
export async function readExemptions(): Promise<{
  readonly exempt: Exempt;
  readonly unused: () => readonly string[];
}> {
  const { slugs, few } = schema.parse(
    parse(await readFile(join(import.meta.dirname, 'exemptions.yaml'), 'utf8')),
  );
  const names = [...slugs.map(({ tool }) => tool), ...few.map(({ application }) => application)];
  const used = new Set<string>();
  const isNamed = (slug: string): boolean => {
    const name = names.find((each) =>
      each.endsWith('*') ? slug.startsWith(each.slice(0, -1)) : each === slug,
    );
    if (name !== undefined) used.add(name);
    return name !== undefined;
  };
  return {
    exempt: { slug: isNamed, few: isNamed },
    unused: () => names.filter((name) => !used.has(name)),
  };
}
