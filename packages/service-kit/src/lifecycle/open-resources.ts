import { canarySetting, openCanaryAddresses } from '../canary/canary-addresses.ts';
import { openCanaryChanges, untilRead } from '../canary/changes.ts';
import { createPeerCanaries } from '../canary/peer-canaries.ts';
import { answerCanaryReports } from '../canary/reports.ts';
import type { RpcTransport } from '../config.ts';
import type { AddressSetting } from '../discovery/address-setting.ts';
import { openAddresses } from '../discovery/open-addresses.ts';
import { connectMongo } from '../mongo/mongo.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import type { DatabaseSchema } from '../mongo/schema.ts';
import { connectNats } from '../nats/nats.ts';
import type { Nats } from '../nats/nats.ts';
import type { StreamDefinition } from '../nats/streams.ts';
import { createRpcPeer } from '../rpc/peer.ts';
import type { RpcPeer } from '../rpc/peer.ts';
import { startRpcServer } from '../rpc/server.ts';
import type { RpcServer } from '../rpc/server.ts';
import type { Secret } from '../secret.ts';
import { createAccountPermits } from '../permits/account-permits.ts';
import type { AccountPermits } from '../permits/account-permits.ts';
import { WAITING_LIMITS } from '../permits/permit-queue.ts';
import type { PermitLimits } from '../permits/permit-queue.ts';
import { createAccountCpu } from '../telemetry/account-cpu.ts';
import type { AccountCpu } from '../telemetry/account-cpu.ts';
import type { ServiceParts } from './start-service.ts';

// Opens the resources of a service, as configured. Each is closed together with the service.

/** Opens the service's own database and expands it to `schema`. Rejects if it does not become available. */
export async function openStore(
  { log, closers }: ServiceParts,
  config: { readonly MONGODB_URI: Secret; readonly MONGODB_DATABASE: string },
  schema: DatabaseSchema,
): Promise<MongoStore> {
  const address = { uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, log };
  return closers.add('mongo', await connectMongo({ ...address, ...schema }));
}

/**
 * Connects to NATS, with the streams that the service declares; canaries follow their changes there. Resolves whether
 * or not NATS answers.
 */
export async function openNats(
  { name, log, closers, canaries, track }: ServiceParts,
  config: { readonly NATS_URL: Secret },
  streams: readonly StreamDefinition[] = [],
): Promise<Nats> {
  const nats = closers.add('nats', await connectNats({ url: config.NATS_URL, name, log, streams }));
  if (canaries !== undefined) {
    const changes = openCanaryChanges(nats);
    canaries.follow(changes);
    answerCanaryReports({ nats, service: name, track, canaries });
    // Until then, everything goes to stable, including requests that other replicas send to a canary.
    if (canaries.current().size > 0) await untilRead(changes);
  }
  return nats;
}

/** The counter of accounts' processor time, which is logged once a minute. */
export function openAccountCpu({ log, closers }: ServiceParts): AccountCpu {
  return closers.add('account cpu', createAccountCpu({ log }));
}

/**
 * Permits for calls to servers that accounts choose. Calls of one partition, such as a connection or an end user, cannot take all permits of
 * the account.
 */
export function openPermits(
  { closers }: ServiceParts,
  limits: Pick<PermitLimits, 'perAccount' | 'perPartition'>,
  isHeld?: (accountId: string, partition: string) => boolean,
): AccountPermits {
  return closers.add('permits', createAccountPermits({ ...limits, ...WAITING_LIMITS }, undefined, isHeld));
}

/** Another service, named `service`, at all its addresses. */
export function openPeer(
  parts: ServiceParts,
  config: { readonly RPC_TRANSPORT: RpcTransport },
  service: string,
  setting: AddressSetting,
): RpcPeer {
  const pools = openPools(parts, service, setting);
  const peer = createRpcPeer({ service, ...pools, transport: config.RPC_TRANSPORT });
  return parts.closers.add(`peer ${service}`, peer);
}

/**
 * The addresses of another service and, if canaries are in use, of its canary. `label` names them in the log and in
 * the metric.
 */
export function openPools(
  parts: ServiceParts,
  service: string,
  setting: AddressSetting,
  label = service,
): Pick<RpcPeer, 'addresses' | 'canaries'> {
  const addresses = openAddresses(parts, label, setting);
  const { canaries, log, closers } = parts;
  const derived = canarySetting(setting);
  if (canaries === undefined || derived === undefined) return { addresses };
  const ofCanary = openCanaryAddresses(derived, { service, canaries, log });
  closers.add(`addresses of ${label}, canary`, ofCanary);
  return { addresses, canaries: createPeerCanaries(service, ofCanary, canaries) };
}

/** The server of the service's RPCs, and of its HTTP pages and mounts. Rejects if a port is taken. */
export async function openRpcServer(
  { name, log, clock, closers }: ServiceParts,
  config: Parameters<typeof startRpcServer>[0]['config'],
  routes: Parameters<typeof startRpcServer>[0]['routes'],
  more: Pick<Parameters<typeof startRpcServer>[0], 'http' | 'openToConfined' | 'openToAnonymous'> = {},
): Promise<RpcServer> {
  return closers.add('rpc server', await startRpcServer({ ...more, name, config, log, clock, routes }));
}
