import type { RoomDeps } from '../gateway-room.ts';
import type { IdentityAdministration } from '../identity/identity-administration.ts';
import type { FindOpenAccounts } from '../operator/storage/open-accounts.ts';
import { startAuditChaining } from './audit-chaining.ts';
import type { AuditLog } from './audit-log.ts';
import { createAuditTrail } from './audit-trail.ts';
import type { AuditTrail } from './audit-trail.ts';
import { auditRepository } from './storage/audit.repository.ts';
import { createAuditLog } from './use-cases/record-event.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Opens the audit room: what is done is recorded, chained in the background, and can be read. */
export function openAudit({
  store,
  sealer,
  clock,
  log,
  closers,
  findOpenAccounts,
  identity,
  config,
}: RoomDeps & {
  readonly findOpenAccounts: FindOpenAccounts;
  readonly identity: Pick<IdentityAdministration, 'findMember'>;
  readonly config: { readonly AUDIT_RETENTION_DAYS: number };
}): { readonly log: AuditLog; readonly trail: AuditTrail } {
  const entries = auditRepository(store);
  const chaining = startAuditChaining({ store, entries, clock, log });
  closers.push('audit chaining', () => chaining.close());
  return {
    log: createAuditLog({
      store: entries,
      findOpenAccounts,
      fingerprint: (accountId, secret) => sealer.fingerprint(accountId, secret),
      clock,
      retentionMs: config.AUDIT_RETENTION_DAYS * DAY_MS,
    }),
    trail: createAuditTrail({
      store: entries,
      findUserName: async (accountId, userId) => (await identity.findMember(accountId, userId))?.user.name,
      clock,
    }),
  };
}
