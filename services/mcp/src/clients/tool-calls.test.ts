import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { expect, test } from 'vitest';
import type { ToolCall } from '../ports/tool-calls.ts';
import { interactiveChannel, unaryChannel } from '../testing/clients.ts';
import { createToolCallsClient } from './tool-calls.ts';

const workflowCall: ToolCall = {
  target: { kind: 'workflow', workflowToken: 'wf' },
  fields: {},
  schemaProfile: '',
  toolsetId: undefined,
  endUserId: undefined,
  mcpServerName: 'Support',
};

test.each([
  ['a call', () => unaryChannel()],
  ['a call with messages', () => interactiveChannel().channel],
])(
  '%s that the tools service has received and not answered has an unknown outcome',
  async (_what, channel) => {
    let received = 0;
    const server = http.createServer((request) => {
      received += 1;
      request.socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const peer = testPeer('tools', { httpUrl: url, grpcUrl: url });
    try {
      const client = createToolCallsClient({ peer, callerKeys: testCallerKeys, clock: systemClock });
      const call = client.execute(testContext(), workflowCall, channel());
      await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
      expect(received).toBe(1);
    } finally {
      await peer.close();
      server.close();
    }
  },
);
