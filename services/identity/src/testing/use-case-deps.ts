import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { recordAuditEvent } from '@fairlead/service-kit/changes/audit-events';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { argon2Passwords } from '../passwords/password.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import { accountRepository } from '../storage/account.repository.ts';
import { apiKeyRepository } from '../storage/api-key.repository.ts';
import { artifactRepository } from '../storage/artifact.repository.ts';
import type { RecordAuditEvent } from '../storage/audit-events.ts';
import { clientRepository } from '../storage/client.repository.ts';
import { credentialRepository } from '../storage/credential.repository.ts';
import { grantRepository } from '../storage/grant.repository.ts';
import { signInEndRepository } from '../storage/sign-in-end.repository.ts';
import { userRepository } from '../storage/user.repository.ts';
import { unannounced } from './unannounced.ts';

/** The real dependencies of the use cases on a test's store; by default no change is published. */
export function useCaseDeps(
  store: MongoStore,
  o: { readonly clock?: Clock; readonly changeIdentity?: ChangeIdentity } = {},
) {
  const clock = o.clock ?? systemClock;
  const changeLog = createChangeLog({ store, clock });
  const recordEvent: RecordAuditEvent = (session, event) => recordAuditEvent(changeLog, session, event);
  // A key of the test suffices, because use cases open nothing that the service has sealed.
  const keyRing = parseKeyRing(`v1:${Buffer.alloc(32, 5).toString('base64')}`);
  const sealer = createSealer({ encryption: ringKeyEncryption(keyRing), store: mongoDataKeyStore(store) });
  return {
    clock,
    changeIdentity: o.changeIdentity ?? unannounced,
    passwords: argon2Passwords,
    accounts: accountRepository(store),
    users: userRepository(store),
    apiKeys: apiKeyRepository(store),
    credentials: credentialRepository({ store, clock }),
    clients: clientRepository({ store, recordEvent, clock }),
    grants: grantRepository({ store, recordEvent, clock }),
    signInEnds: signInEndRepository({ store, clock }),
    artifacts: artifactRepository({ store, sealer, clock }),
  };
}
