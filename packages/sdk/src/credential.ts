/**
 * Returns an access token from wherever it is stored. Called for every request, so it should cache the token. `rejected` is a token that
 * the API has just refused: return a new token, or the same one if there is no new one, which ends the request.
 */
export type AccessTokenSource = (rejected?: string) => string | Promise<string>;

/** How a client authenticates. Exactly one of the two. */
export type CredentialOptions =
  | { readonly apiKey: string; readonly accessToken?: never }
  | { readonly accessToken: string | AccessTokenSource; readonly apiKey?: never };

/** The header of a credential, and its replacement after a refusal. */
export interface Credential {
  /** Name and value of the header. */
  header(): Promise<readonly [string, string]>;
  /** A header with another value than `refused`, the value that got a 401; undefined if there is none. */
  next(refused: string): Promise<readonly [string, string] | undefined>;
}

/** The credential of the options. Throws a TypeError unless they contain exactly one. */
export function credentialOf({ apiKey, accessToken }: CredentialOptions): Credential {
  if ((apiKey === undefined) === (accessToken === undefined)) {
    throw new TypeError('Fairlead: exactly one of apiKey and accessToken is needed.');
  }
  if (apiKey !== undefined) return fixed('x-api-key', apiKey);
  if (typeof accessToken === 'string') return fixed('authorization', `Bearer ${accessToken}`);
  return fromSource(accessToken);
}

function fixed(name: string, value: string): Credential {
  return {
    header: () => Promise.resolve([name, value]),
    next: () => Promise.resolve(undefined),
  };
}

function fromSource(source: AccessTokenSource): Credential {
  const scheme = 'Bearer ';
  return {
    header: async () => ['authorization', scheme + (await source())],
    next: async (refused) => {
      const value = scheme + (await source(refused.slice(scheme.length)));
      return value === refused ? undefined : ['authorization', value];
    },
  };
}
