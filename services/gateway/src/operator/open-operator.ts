import { erasedOnly } from '@fairlead/service-kit/account-data';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { ServiceName } from '@fairlead/service-list/services';
import type { AuditLog } from '@fairlead/audit-log/audit-log';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import type { Sealer } from '@fairlead/sealing/sealing';
import { accountDomains } from './account-domains.ts';
import type { ModuleData } from './account-domains.ts';
import { createAccountOperations } from './account-operations.ts';
import type { AccountOperations } from './account-operations.ts';
import { sweepTimes } from './domain/erasure.ts';
import { startErasureResumption } from './erasure-resumption.ts';
import { accountErasureRepository } from './storage/account-erasure.repository.ts';

/** Opens the operator module: exports and erases accounts, and continues unfinished erasures. */
export function openOperator({
  store,
  sealer,
  clock,
  log,
  closers,
  config,
  ...o
}: ModuleResources & {
  readonly sealer: Sealer;
  readonly config: {
    readonly CALLER_CONTEXT_KEYS: KeyRing;
    readonly DATA_TIMEOUT_MS: number;
    readonly REQUEST_TIMEOUT_MS: number;
    readonly RUN_TIMEOUT_MS: number;
  };
  readonly peers: Readonly<Record<ServiceName, RpcPeer>>;
  readonly modules: ModuleData;
  /** Called when an account was closed for erasure. */
  readonly onClosed: (accountId: string) => void;
  readonly audit: AuditLog;
}): AccountOperations {
  const all = accountDomains({
    peers: o.peers,
    // Data keys belong to no module, so they are a domain of their own.
    modules: { sealing: erasedOnly((accountId) => sealer.shred(accountId)), ...o.modules },
    callerKeys: config.CALLER_CONTEXT_KEYS,
    clock,
    timeoutMs: config.DATA_TIMEOUT_MS,
    onClosed: o.onClosed,
  });
  const deps = {
    erasures: accountErasureRepository(store),
    ...all,
    audit: o.audit,
    clock,
    sweeps: sweepTimes(Math.max(config.REQUEST_TIMEOUT_MS, config.RUN_TIMEOUT_MS)),
  };
  const resumption = startErasureResumption(deps, log);
  closers.push('erasure of accounts', () => resumption.close());
  return createAccountOperations(deps);
}
