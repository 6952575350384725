import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fieldDescriptor } from '../schema/authentication.ts';
import { importSource, vendorHosts } from '../schema/import-source.ts';
import { template } from '../schema/template.ts';
import { hasMalformedPlaceholder, placeholdersIn } from '../template.ts';

/** The list of packages within their folder. */
export const PACKAGES_FILE = 'packages.json';

const { package: packageName, version, integrity, file } = importSource.shape;

const pinned = { package: packageName, version, integrity };
const hosts = vendorHosts
  .exactOptional()
  .describe('Domains to which it may send requests. Absent: every public address.');

const piece = z.strictObject({
  ...pinned,
  kind: z.literal('piece').describe('A piece of Activepieces in one file, without dependencies.'),
  file: file.default('src/index.js').describe('Path of the program within the package: one CommonJS file.'),
  hosts,
});

const server = z.strictObject({
  ...pinned,
  kind: z.literal('mcp').describe('An MCP server that speaks over its standard streams.'),
  file: file.describe('Path of the program within the package, such as dist/index.js.'),
  hosts,
  lock: z
    .string()
    .min(1)
    .max(500)
    .describe('A package-lock.json with the package and its dependencies; its path from the list.'),
  arguments: z
    .array(template)
    .max(50)
    .default([])
    .describe(
      'Arguments of the program: templates over its fields; one whose field has no value is left out.',
    ),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable'), template)
    .default({})
    .describe('Environment of the program: templates over its fields, as for `arguments`.'),
  fields: z
    .array(fieldDescriptor)
    .max(20)
    .default([])
    .describe('Fields of a connection, such as a key. Empty: its connections need no credential.'),
});

/** A package of the operator's list: which code it is, and where it may send requests. */
const listedPackage = z.discriminatedUnion('kind', [piece, server]);

const program = z.string().regex(/^[0-9a-f]{64}\.cjs$/, 'must be the name of a program in the folder');
const allowedPackage = z.discriminatedUnion('kind', [piece.extend({ program }), server.extend({ program })]);

/** The operator's list. */
export const packageList = z.strictObject({ packages: listOf(listedPackage) });

const folderList = z.strictObject({ packages: listOf(allowedPackage) });

/** A package of the operator's list. */
export type ListedPackage = z.output<typeof listedPackage>;

/** A package of the operator's list that is in the folder. */
export type AllowedPackage = z.output<typeof allowedPackage>;

/** An MCP server of the operator's list. */
export type AllowedServer = Extract<AllowedPackage, { readonly kind: 'mcp' }>;

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
  const { data, error } = folderList.safeParse(JSON.parse(text));
  if (data === undefined) throw new Error(`${path}: ${z.prettifyError(error)}`);
  const byName = new Map(data.packages.map((each) => [packageKey(each), each]));
  return {
    directory,
    find: (name, version) => byName.get(packageKey({ package: name, version })),
    programOf: (allowed) => join(directory, allowed.program),
  };
}

/** The name of a package's program in the folder, which changes with its content. `lock`: the text of its lock file. */
export function programFile({ integrity: digest, file: path }: ListedPackage, lock = ''): string {
  return `${createHash('sha256').update(`${digest} ${path}${lock}`).digest('hex')}.cjs`;
}

function listOf<T extends typeof listedPackage | typeof allowedPackage>(element: T) {
  return z
    .array(element)
    .max(100)
    .superRefine((packages, context) => {
      const names = packages.map(packageKey);
      packages.forEach((each, index) => {
        const issue = (message: string, ...path: readonly string[]): void =>
          context.addIssue({ code: 'custom', path: [index, ...path], message });
        if (names.indexOf(packageKey(each)) !== index) issue(`${packageKey(each)} is listed twice`);
        if (each.kind === 'mcp') checkTemplates(each, issue);
      });
    });
}

function checkTemplates(
  { arguments: values, environment, fields }: z.output<typeof server>,
  issue: (message: string, ...path: readonly string[]) => void,
): void {
  const known = new Set(fields.map(({ name }) => name));
  for (const [member, texts] of Object.entries({ arguments: values, environment })) {
    for (const text of Object.values(texts))
      if (hasMalformedPlaceholder(text)) issue(`${text} has braces that are not a placeholder`, member);
    for (const { root, name } of placeholdersIn(texts))
      if (root !== 'field' || !known.has(name)) issue(`{{${root}.${name}}} is not one of its fields`, member);
  }
}

function packageKey(named: { readonly package: string; readonly version: string }): string {
  return `${named.package}@${named.version}`;
}
