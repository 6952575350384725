import { startTestEdge, TEST_PUBLIC_URL, unlimited as unlimitedCalls } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge, TestEdgeOptions } from '@fairlead/rest-kit/testing/edge';
import { createResources } from '@fairlead/access/resources';
import { systemClock } from '@fairlead/service-kit/clock';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Limits } from '../limits/limits.ts';
import { forEachService } from '@fairlead/service-list/services';
import { createRemoteServices } from '../services.ts';
import type { OwnServices, RemoteServices, Services } from '../services.ts';

/** The key that signs test callers. */
export const TEST_CALLER_KEYS = parseKeyRing(`v1:${Buffer.alloc(32, 7).toString('base64')}`);

/** Budgets without limits. */
export function unlimited(): Limits {
  return {
    ...unlimitedCalls(),
    admitHook: () => true,
    takeTriggerTest: () => Promise.resolve({ isAllowed: true }),
    takeStep: () => Promise.resolve({ isAllowed: true, renewsInSeconds: 3_600 }),
    close: () => Promise.resolve(),
  };
}

/** `remote` with the gateway's own use cases. Using one that the test does not provide fails the test with the use case's name. */
export function testServices(remote: RemoteServices, own: Partial<OwnServices> = {}): Services {
  return {
    ...remote,
    auditTrail: own.auditTrail ?? absent('auditTrail'),
    usage: own.usage ?? absent('usage'),
    limits: own.limits ?? absent('limits'),
    resources: own.resources ?? createResources(TEST_PUBLIC_URL),
    accounts: own.accounts ?? absent('accounts'),
    canaries: own.canaries ?? absent('canaries'),
  };
}

/** A service whose use fails the test. */
function absent<K extends keyof OwnServices>(name: K): OwnServices[K] {
  const nothing = new Proxy(
    {},
    {
      get() {
        throw new Error(`This test brings no \`${name}\`.`);
      },
    },
  );
  // The proxy throws when any property is read.
  return nothing as OwnServices[K];
}

/** Clients of services that are all unreachable, with the given use cases of the gateway's own. */
export function awayServices(own: Partial<OwnServices> = {}): Services {
  // Port 1 (tcpmux) is never listened on, so the connection is refused at once.
  const addresses = ['http://127.0.0.1:1'];
  // One transport suffices, because no server listens.
  const nobody = createRpcPeer({ service: 'nobody', addresses, transport: 'connect-fast' });
  const remote = createRemoteServices({
    peers: forEachService(() => nobody),
    callerKeys: TEST_CALLER_KEYS,
    clock: systemClock,
    timeoutMs: 5000,
    runTimeoutMs: 5000,
    dataTimeoutMs: 5000,
  });
  return testServices(remote, own);
}

/** Starts the real edge, as the edge kit's tests do; services that the test does not give are unreachable. */
export function startGatewayEdge(o: TestEdgeOptions<Services>): Promise<TestEdge> {
  return startTestEdge({ ...o, services: o.services ?? awayServices() });
}
