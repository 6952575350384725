import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processOf } from '../faults/support/processes.ts';
import { prepareConnection } from '../faults/support/traffic.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { startChild } from './child.ts';
import type { Scripts } from './child.ts';
import { meanByName, measure } from './measure.ts';
import type { Figures, Subject } from './measure.ts';
import { EDGE_STAGES, OPEN_PATH, TRANSPORTS } from './questions.ts';
import type { EdgeStage } from './questions.ts';
import { clearStores } from './stores.ts';

/** How long and how often to look. */
export interface BenchOptions {
  readonly rounds: number;
  /** Of one look at one subject. */
  readonly durationMs: number;
}

/** Everything that one run measured. */
export interface BenchReport {
  /** From the physical limit over the layers of the gateway to the whole stack, at eight callers. */
  readonly layers: readonly Figures[];
  /** Ways past the gate: without one, with a known key and token, then with cold ones; means over the processes. */
  readonly gate: readonly Figures[];
  /** A read straight from the database, and the same record through the whole stack, one caller each. */
  readonly latency: readonly Figures[];
  /** The same RPC over each transport; `cpu` is the caller's, `otherCpu` the service's. */
  readonly transports: readonly Figures[];
}

/** So many callers keep a process busy without a queue in front of it that would be all that latencies show. */
const CALLERS = 8;

/** Names of the subjects that the figures of the bench are told by. */
export const NAMES = {
  limit: 'node:http',
  express: 'bare express',
  stack: 'whole stack',
  open: 'no credential',
  key: 'API key and both budgets',
  bearer: 'bearer token and both budgets',
  mongo: 'MongoDB read',
  get: 'GET /v1/connections/{id}',
} as const;

const STAGE_NAMES: Readonly<Record<(typeof EDGE_STAGES)[number], string>> = {
  edge: 'routing, parsing, response check',
  log: 'request log line',
  auth: 'authentication, cached',
  budgets: 'both rate budgets',
  hop: 'RPC hop',
  presentation: 'presentation',
};

/** Processes of one program differ by more than the ways past a gate do: each way is taken in all of these. */
const WARM_GATES = 3;

/** Measures against a running stack. Everything that it starts beside it is gone when it resolves or rejects. */
export async function runBench(stack: DevStack, o: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  const children: { stop(): Promise<void> }[] = [];
  const start = async <S extends keyof Scripts>(
    script: S,
    ...args: readonly string[]
  ): Promise<Scripts[S]> => {
    const logFile = join(folder, `${children.length}.log`);
    const child = await startChild(script, { args, logFile });
    children.push(child);
    return child;
  };
  try {
    const connectionId = await prepareConnection(stack);
    const path = `/v1/connections/${connectionId}`;
    const generator = await start('load-generator');
    const loaded = (
      name: string,
      pid: number,
      { url, headers = {} }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
      callers = CALLERS,
    ): Subject => ({
      name,
      pid,
      run: (durationMs) => generator.ask({ url: url + path, headers, callers, durationMs }),
    });

    const rawHttp = await start('raw-http');
    const express = await start('bare-express');
    const stub = await start('rpc-stub');
    const gatewayPid = processOf(stack, 'services/gateway/src/main.ts');
    const { apiKey } = stack.account;
    const gateway = { url: stack.baseUrl, headers: { 'x-api-key': apiKey } };

    const layers = [
      loaded(NAMES.limit, rawHttp.pid, rawHttp.hello),
      loaded(NAMES.express, express.pid, express.hello),
    ];
    const startEdge = (stage: EdgeStage): Promise<Scripts['edge-stage']> =>
      start('edge-stage', stage, stub.hello.httpUrl, stack.mongodbUri, stack.natsUrl, apiKey);
    for (const stage of EDGE_STAGES) {
      const { pid, hello } = await startEdge(stage);
      layers.push(loaded(`+ ${STAGE_NAMES[stage]}`, pid, { url: hello.url, headers: hello.headers.key }));
    }
    layers.push(loaded(NAMES.stack, gatewayPid, gateway));

    const gates: Subject[][] = [];
    for (let number = 0; number < WARM_GATES; number += 1) {
      const { pid, hello } = await startEdge('gate');
      const { url, headers } = hello;
      gates.push([
        loaded(NAMES.open, pid, { url: url + OPEN_PATH }),
        loaded(NAMES.key, pid, { url, headers: headers.key }),
        loaded(NAMES.bearer, pid, { url, headers: headers.bearer }),
      ]);
    }
    const { pid: coldPid, hello: cold } = await startEdge('cold-gate');
    gates.push([
      loaded('cold: API key that MongoDB is asked about, and both budgets', coldPid, {
        url: cold.url,
        headers: cold.headers.key,
      }),
      loaded('cold: bearer token that is verified, and both budgets', coldPid, {
        url: cold.url,
        headers: cold.headers.bearer,
      }),
    ]);

    const reader = await start(
      'mongo-reader',
      stack.mongodbUri,
      stack.account.accountId,
      String(connectionId),
    );
    const latency: Subject[] = [
      { name: NAMES.mongo, pid: reader.pid, run: (durationMs) => reader.ask({ callers: 1, durationMs }) },
      loaded(NAMES.get, gatewayPid, gateway, 1),
    ];

    const transports: Subject[] = [];
    for (const transport of TRANSPORTS) {
      const target = { 'raw-http': rawHttp.hello.url, grpc: stub.hello.grpcUrl }[transport as string];
      const caller = await start('rpc-caller', transport, target ?? stub.hello.httpUrl);
      transports.push({
        name: transport,
        pid: caller.pid,
        otherPid: transport === 'raw-http' ? rawHttp.pid : stub.pid,
        run: (durationMs) => caller.ask({ callers: CALLERS, durationMs }),
      });
    }
    return {
      layers: await measure(layers, o),
      gate: meanByName(await measure(gates.flat(), o)),
      latency: await measure(latency, o),
      transports: await measure(transports, o),
    };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await clearStores(stack);
    await rm(folder, { recursive: true, force: true });
  }
}
