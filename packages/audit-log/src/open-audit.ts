import type { AccountData } from '@fairlead/service-kit/account-data';
import type { FindOpenAccounts } from './ports/open-accounts.ts';
import { subscribeToChangeHints } from '@fairlead/service-kit/changes/change-hints';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import type { Sealer } from '@fairlead/sealing/sealing';
import { startAuditChaining } from './audit-chaining.ts';
import { startAuditFetching } from './audit-fetching.ts';
import type { AuditLog } from './audit-log.ts';
import { createAuditTrail } from './audit-trail.ts';
import type { AuditTrail } from './audit-trail.ts';
import { chainKeysOf } from './chain-keys.ts';
import { createEventSource } from './events/change-source.ts';
import type { ChangeSource } from './events/change-source.ts';
import type { FindUserNames } from './ports/user-names.ts';
import { auditData } from './storage/account-data.ts';
import { auditRepository } from './storage/audit.repository.ts';
import { createAuditLog } from './use-cases/record-event.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The audit logs of accounts and of the platform. */
export interface AuditModule {
  readonly log: AuditLog;
  readonly trail: AuditTrail;
  readonly accountData: AccountData;
}

/** Opens the audit module: records events, fetches those of other services, chains entries, and reads them. */
export function openAudit({
  store,
  nats,
  sealer,
  clock,
  log,
  closers,
  findOpenAccounts,
  findUserNames,
  sources,
  config,
}: Omit<ModuleResources, 'nats'> & {
  readonly sealer: Sealer;
  readonly nats: Pick<ModuleResources['nats'], 'subscribe'>;
  readonly findOpenAccounts: FindOpenAccounts;
  readonly findUserNames: FindUserNames;
  /** The services that record audit events with their changes. */
  readonly sources: readonly ChangeSource[];
  readonly config: {
    readonly AUDIT_RETENTION_DAYS: number;
    readonly AUDIT_KEYS: KeyRing;
    readonly AUDIT_KEYED_SINCE?: Date | undefined;
  };
}): AuditModule {
  const entries = auditRepository(store);
  const keys = chainKeysOf(config.AUDIT_KEYS);
  closers.add('audit chaining', startAuditChaining({ store, entries, keys, clock, log }));
  const auditLog = createAuditLog({
    store: entries,
    findOpenAccounts,
    fingerprint: (accountId, secret) => sealer.fingerprint(accountId, secret),
    clock,
    retentionMs: config.AUDIT_RETENTION_DAYS * DAY_MS,
  });
  const fetching = new Map(
    sources.map((changeSource) => {
      const source = createEventSource(changeSource);
      const work = startAuditFetching({ source, store, events: auditLog, clock, log });
      return [source.name, closers.add(`audit events of ${source.name}`, work)] as const;
    }),
  );
  subscribeToChangeHints(nats, (service) => fetching.get(service)?.wake());
  return {
    log: auditLog,
    trail: createAuditTrail({
      store: entries,
      findUserNames,
      keys,
      keyedSince: config.AUDIT_KEYED_SINCE,
      clock,
    }),
    accountData: auditData(store),
  };
}
