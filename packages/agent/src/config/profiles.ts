import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { JsonObject } from '@fairlead/connector-model/json';
import { z } from 'zod';

/** A credential in the agent's own configuration, which never leaves this program. */
export interface Profile {
  readonly name: string;
  readonly type: ProfileType;
  /** The values for a connector's handler, including the type. */
  readonly fields: JsonObject;
  /** Password and headers, which are masked in everything that this program sends. */
  readonly secrets: readonly string[];
}

const text = z.string().min(1);

const httpUrl = text.refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === ''
  );
}, 'must be an http or https URL without user, password and query');

const database = {
  host: text,
  port: z.coerce.number().int().min(1).max(65_535).exactOptional(),
  database: text,
  user: text,
  password: z.string().exactOptional(),
  sslMode: z.enum(['disable', 'prefer', 'require', 'verify-full']).exactOptional(),
};

const profileForm = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('http'),
    baseUrl: httpUrl,
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no name of a header'), z.string())
      .exactOptional(),
  }),
  z.strictObject({ type: z.literal('postgresql'), ...database }),
  z.strictObject({ type: z.literal('mysql'), ...database }),
  z.strictObject({
    type: z.literal('files'),
    root: text.refine(isAbsolute, 'must be an absolute path'),
    isReadOnly: z.boolean().exactOptional(),
  }),
]);

/** A kind of system that a profile can be for. */
export type ProfileType = z.infer<typeof profileForm>['type'];

/** The profile types for each connector's handlers; other connectors get none. */
export const PROFILE_TYPES: ReadonlyMap<string, readonly ProfileType[]> = new Map<
  string,
  readonly ProfileType[]
>([
  ['onprem-http', ['http']],
  ['onprem-database', ['postgresql', 'mysql']],
  ['onprem-files', ['files']],
]);

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/**
 * Validates a profile with resolved references. `allowedPaths`: the directories in which the root of files must be;
 * null: any. `onProblem` gets the path of each invalid member; then the result is undefined.
 */
export function readProfile(
  name: string,
  value: unknown,
  allowedPaths: readonly string[] | null,
  onProblem: (path: string, problem: string) => void,
): Profile | undefined {
  if (!PROFILE_NAME.test(name)) {
    onProblem('', 'a name of a profile has 1 to 64 letters, digits, dots, hyphens and underscores');
    return undefined;
  }
  const parsed = profileForm.safeParse(value);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) onProblem(path.join('.'), message);
    return undefined;
  }
  const profile = parsed.data;
  switch (profile.type) {
    case 'http':
      return {
        name,
        type: profile.type,
        fields: profile,
        secrets: Object.values(profile.headers ?? {}),
      };
    case 'postgresql':
    case 'mysql':
      return {
        name,
        type: profile.type,
        fields: profile,
        secrets: profile.password === undefined ? [] : [profile.password],
      };
    case 'files': {
      const root = realDirectory(profile.root);
      if (root === undefined) onProblem('root', 'is not a readable directory');
      else if (allowedPaths !== null && !allowedPaths.some((allowed) => isBelow(root, allowed)))
        onProblem('root', 'is not below one of allow.paths');
      else return { name, type: profile.type, fields: { ...profile, root }, secrets: [] };
      return undefined;
    }
  }
}

/** The directory with symbolic links resolved; undefined if it does not exist. */
export function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || (!/^\.\.(\/|\\|$)/.test(way) && !isAbsolute(way));
}
