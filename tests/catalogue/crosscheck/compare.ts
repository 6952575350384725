import type { ConnectorHead } from '@fairlead/connector-model/model';
import { z } from 'zod';

/** Kinds of compared addresses. */
const MEMBERS = ['authorizationUrl', 'tokenUrl', 'baseUrl'] as const;
type Member = (typeof MEMBERS)[number];

const provider = z.object({
  alias: z.string().optional(),
  authorization_url: z.string().optional(),
  token_url: z.unknown().optional(),
  proxy: z.object({ base_url: z.string().optional() }).optional(),
});

/** The third party's collection: addresses of vendors by provider name. */
export const providersSchema = z.record(z.string(), provider);
/** Addresses of vendors by provider name. */
export type Providers = z.output<typeof providersSchema>;

/** Our annotations of the collection, `differences.yaml`. */
export const readingSchema = z.strictObject({
  providers: z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1), z.null()])),
  differences: z.array(
    z.strictObject({
      slug: z.string(),
      member: z.enum(MEMBERS),
      theirs: z.string(),
      because: z.string().min(20),
    }),
  ),
});
/** The provider of an application, if its name differs, and reasons for different addresses. */
export type Reading = z.output<typeof readingSchema>;

/** The result: number of compared addresses and applications, and differences that the annotations do not explain. */
export interface Comparison {
  readonly addresses: number;
  readonly applications: number;
  readonly explained: number;
  readonly problems: readonly string[];
}

/**
 * Compares our applications' addresses with those in the collection. An application is compared with the provider that has its slug, or
 * with those named in `reading`; null: none. A base URL also matches if one of the two is a prefix of the other.
 */
export function compareAddresses(
  heads: readonly ConnectorHead[],
  providers: Providers,
  reading: Reading,
): Comparison {
  const used = new Set<Reading['differences'][number]>();
  const problems: string[] = [];
  let addresses = 0;
  let applications = 0;
  for (const head of heads) {
    const names = namesOf(head.slug, providers, reading);
    if (typeof names === 'string') problems.push(names);
    if (names === undefined || typeof names === 'string') continue;
    applications += 1;
    const theirs = addressesOf(names, providers);
    for (const { member, address } of ownAddresses(head)) {
      const candidates = theirs[member];
      if (candidates.length === 0) continue;
      addresses += 1;
      if (candidates.some((candidate) => agrees(member, address, candidate))) continue;
      const explanation = reading.differences.find(
        (each) => each.slug === head.slug && each.member === member && candidates.includes(each.theirs),
      );
      if (explanation === undefined)
        problems.push(`${head.slug}: ${member} is ${address}, theirs is ${candidates.join(' or ')}`);
      else used.add(explanation);
    }
  }
  for (const each of reading.differences)
    if (!used.has(each))
      problems.push(`${each.slug}: the difference of ${each.member} is gone, and its explanation can go`);
  return { addresses, applications, explained: used.size, problems };
}

/** The providers of an application; undefined: none; a text: the problem. */
function namesOf(
  slug: string,
  providers: Providers,
  { providers: named }: Reading,
): readonly string[] | string | undefined {
  const given = named[slug];
  if (given === null) return Object.hasOwn(providers, slug) ? `${slug}: is a provider by now` : undefined;
  const names = given === undefined ? [slug] : [given].flat();
  const unknown = names.filter((name) => !Object.hasOwn(providers, name));
  if (unknown.length === 0) return names;
  return `${slug}: there is no provider ${unknown.join(' or ')}; name its provider, or null`;
}

function ownAddresses({
  baseUrl,
  authenticationMethods,
}: ConnectorHead): readonly { readonly member: Member; readonly address: string }[] {
  const all = [
    ['baseUrl', baseUrl] as const,
    ...authenticationMethods.flatMap(({ baseUrl: own, scheme }) => [
      ['baseUrl', own] as const,
      ...(scheme.type === 'oauth2'
        ? ([
            ['authorizationUrl', scheme.authorizationUrl],
            ['tokenUrl', scheme.tokenUrl],
          ] as const)
        : []),
    ]),
  ];
  const found = all.flatMap(([member, address]) => (address === null ? [] : [{ member, address }]));
  return found.filter(
    ({ member, address }, index) =>
      found.findIndex((each) => each.member === member && each.address === address) === index,
  );
}

function addressesOf(
  names: readonly string[],
  providers: Providers,
): Readonly<Record<Member, readonly string[]>> {
  const all = names.map((name) => {
    const own = providers[name];
    const base = own?.alias === undefined ? undefined : providers[own.alias];
    const token = own?.token_url ?? base?.token_url;
    return {
      authorizationUrl: own?.authorization_url ?? base?.authorization_url,
      tokenUrl: typeof token === 'string' ? token : undefined,
      baseUrl: own?.proxy?.base_url ?? base?.proxy?.base_url,
    };
  });
  const distinct = (member: Member): readonly string[] => [
    // An entry of the collection may contain two addresses: one with variable parts, and one for when these have no values.
    ...new Set(all.flatMap((each) => each[member]?.split(' || ') ?? [])),
  ];
  return {
    authorizationUrl: distinct('authorizationUrl'),
    tokenUrl: distinct('tokenUrl'),
    baseUrl: distinct('baseUrl'),
  };
}

function agrees(member: Member, ours: string, theirs: string): boolean {
  const [own, other] = [plain(ours), plain(theirs)];
  if (own === other) return true;
  return member === 'baseUrl' && (own.startsWith(`${other}/`) || other.startsWith(`${own}/`));
}

/** An address without irrelevant differences: variable parts, and a final slash. */
function plain(address: string): string {
  return address
    .replace(/^\{\{[^{}]*\}\}/, 'https://*')
    .replaceAll(/\{\{[^{}]*\}\}|\$\{[^{}]*\}/g, '*')
    .replace(/^(https:\/\/[^/]*)/, (host) => host.toLowerCase())
    .replace(/\/$/, '');
}
