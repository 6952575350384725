import { TaskService } from '@fairlead/contracts/agents/v1/task_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { isUnanswered } from '@fairlead/service-kit/rpc/errors';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { addressIn } from '../domain/replica-name.ts';
import type { Replicas } from '../ports/replicas.ts';

interface ReplicaConnection {
  readonly peer: RpcPeer;
  readonly tasks: RpcClient<typeof TaskService>;
}

/** Maximum number of replicas with open connections; the oldest connection is dropped. */
const MAX_REPLICAS = 100;
/** Time for the outcome of a call to travel from its replica to this one. */
const RETURN_MS = 300;

/** Client of the other replicas; each one's name contains its address. */
export function createReplicas(o: {
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
}): Replicas & { close(): Promise<void> } {
  const connected = new Map<string, ReplicaConnection>();

  function connect(address: string): ReplicaConnection {
    const peer = createRpcPeer({ service: 'agents', addresses: [address], transport: 'connect-fast' });
    const replica = { peer, tasks: createRpcClient(TaskService, { ...o, peer }) };
    connected.set(address, replica);
    const [first] = connected;
    if (connected.size > MAX_REPLICAS && first !== undefined) {
      connected.delete(first[0]);
      void first[1].peer.close();
    }
    return replica;
  }

  return {
    async runCall(ctx, replica, call) {
      const address = addressIn(replica);
      const { tasks } = connected.get(address) ?? connect(address);
      try {
        const { outcomeJson } = await tasks.runCall(ctx, call, { timeoutMs: call.timeoutMs + RETURN_MS });
        return { outcome: outcomeJson };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'TIMEOUT' || isUnanswered(error)) return 'lost';
        if (error.code === 'UNAVAILABLE') return 'notBegun';
        throw error;
      }
    },
    async close() {
      await Promise.all([...connected.values()].map(({ peer }) => peer.close()));
    },
  };
}
