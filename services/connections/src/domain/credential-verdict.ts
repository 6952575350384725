import type { Connection } from './connection.ts';
import { tokenState } from './credential.ts';
import type { CredentialSecrets } from './credential.ts';

/** `use`: usable as it is. `prefer`: usable, but renew it. `need`: usable only after a renewal. */
type Verdict = 'use' | 'prefer' | 'need' | 'refused';

/** Whether a call at `now` may use a credential or must renew it. `rejectedVersion` is the version that the vendor refused, if any. */
export function credentialVerdict(
  connection: Pick<Connection, 'grant' | 'needsReauthentication' | 'credentialVersion'>,
  { tokens }: CredentialSecrets,
  rejectedVersion: number | undefined,
  now: Date,
): Verdict {
  if (connection.grant === 'fields') return 'use';
  if (connection.needsReauthentication) return 'refused';
  if (tokens === null || rejectedVersion === connection.credentialVersion) return 'need';
  switch (tokenState(tokens, now)) {
    case 'fresh':
      return 'use';
    case 'due':
      return connection.grant === 'clientCredentials' || tokens.refreshToken !== null ? 'prefer' : 'use';
    case 'expired':
      return 'need';
  }
}
