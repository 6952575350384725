import type { Connection } from './connection.ts';
import { tokenState } from './credential.ts';
import type { OpenedCredential } from './credential.ts';

/** `use`: usable as it is. `prefer`: renew it, but it is still usable. `need`: usable only once renewed. */
type Verdict = 'use' | 'prefer' | 'need' | 'refused';

/** Whether a call at `now` may use a credential or has to renew it; `rejectedVersion` is the version that the vendor refused, if it did. */
export function credentialVerdict(
  connection: Pick<Connection, 'grant' | 'needsReauthentication' | 'credentialVersion'>,
  { tokens }: OpenedCredential,
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
