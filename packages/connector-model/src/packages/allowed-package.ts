import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { importSource, vendorHosts } from '../schema/import-source.ts';

/** The list of packages within their folder. */
export const PACKAGES_FILE = 'packages.json';

const { package: packageName, version, integrity, file } = importSource.shape;

const pinned = { package: packageName, version, integrity, file };

/** A package that the operator allows: which code it is, and where it may send requests. */
const allowedPackage = z.strictObject({
  ...pinned,
  kind: z.literal('piece').describe('piece: a piece of Activepieces in one file, without dependencies.'),
  file: file.default('src/index.js').describe('Path of the program within the package: one CommonJS file.'),
  hosts: vendorHosts
    .exactOptional()
    .describe('Domains to which it may send requests. Absent: every public address.'),
});

/** The operator's list. */
export const packageList = z.strictObject({
  packages: z
    .array(allowedPackage)
    .max(100)
    .superRefine((packages, context) => {
      const names = packages.map(packageKey);
      names.forEach((name, index) => {
        if (names.indexOf(name) !== index)
          context.addIssue({ code: 'custom', path: [index], message: `${name} is listed twice` });
      });
    }),
});

/** A package of the operator's list. */
export type AllowedPackage = z.output<typeof allowedPackage>;

/** The packages that the operator allows, and the folder with their programs. */
export interface AllowedPackages {
  readonly directory: string;
  /** Undefined: it is not allowed. */
  readonly find: (name: string, version: string) => AllowedPackage | undefined;
  /** The path of its program. */
  readonly programOf: (allowed: AllowedPackage) => string;
}

/** Nothing is allowed. */
export const NO_PACKAGES: AllowedPackages = {
  directory: '',
  find: () => undefined,
  programOf: () => '',
};

/** Reads the folder that fetchPackages wrote. Throws an error that names the file if it has another form. */
export async function readAllowedPackages(directory: string): Promise<AllowedPackages> {
  const path = join(directory, PACKAGES_FILE);
  const text = await readFile(path, 'utf8');
  const { data, error } = packageList.safeParse(JSON.parse(text));
  if (data === undefined) throw new Error(`${path}: ${z.prettifyError(error)}`);
  const byName = new Map(data.packages.map((each) => [packageKey(each), each]));
  return {
    directory,
    find: (name, version) => byName.get(packageKey({ package: name, version: version })),
    programOf: (allowed) => join(directory, programFile(allowed)),
  };
}

/** The name of a package's program in the folder, which changes with its content. */
export function programFile({ integrity: digest, file: path }: AllowedPackage): string {
  return `${createHash('sha256').update(`${digest} ${path}`).digest('hex')}.cjs`;
}

function packageKey(named: { readonly package: string; readonly version: string }): string {
  return `${named.package}@${named.version}`;
}
