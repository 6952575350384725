import { processOf } from '../faults/support/processes.ts';
import { executeRoute, prepareConnection } from '../faults/support/traffic.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import type { Scripts, StartScript } from './child.ts';
import type { Subject } from './measure.ts';
import { EDGE_STAGES, OPEN_PATH, TRANSPORTS } from './requests.ts';
import type { EdgeStage, LoadRequest } from './requests.ts';

/** A measured source tree. */
export interface Side {
  /** The tree's running stack. */
  readonly stack: DevStack;
  /** The checkout that it runs from; absent: this one. */
  readonly root?: string;
}

/** The subjects, by table. */
export interface Groups<T> {
  /** From the lower bound over the gateway's layers to the whole stack, with eight callers. */
  readonly layers: T;
  /** Variants of the gate: none; with a cached key and token; with uncached ones. Means over the processes. */
  readonly gate: T;
  /** Routes of the running gateway with eight callers: one that calls no service, and one that calls one. */
  readonly routes: T;
  /** CPU of the tools service for executing a catalogue tool, with eight callers. */
  readonly executions: T;
  /** An evaluation in a worker: CPU of both processes, always of this tree's program. */
  readonly workers: T;
  /** A read directly from the database, and the same record through the whole stack, with one caller each. */
  readonly latency: T;
  /** One RPC over each transport; `cpu` is the caller's, `otherCpu` the service's. */
  readonly transports: T;
}

/** Enough callers to keep a process busy, without a queue that would dominate the latency. */
const CALLERS = 8;

/** Names of the subjects in the report. */
export const NAMES = {
  limit: 'node:http',
  express: 'bare express',
  stack: 'whole stack',
  open: 'no credential',
  key: 'API key and both budgets',
  bearer: 'bearer token and both budgets',
  mongo: 'MongoDB read',
  get: 'GET /v1/connections/{id}',
  whoami: 'GET /v1/auth/whoami',
  execute: 'POST …/sandbox-crm-list-contacts/execute',
  evaluation: 'check of 3 KiB in a worker',
} as const;

const STAGE_NAMES: Readonly<Record<(typeof EDGE_STAGES)[number], string>> = {
  edge: 'routing, parsing, response check',
  log: 'request log line',
  auth: 'authentication, cached',
  budgets: 'both rate budgets',
  hop: 'RPC hop',
  presentation: 'presentation',
};

/** Processes of one program differ by more than the variants of the gate, so each variant runs in all of these. */
const WARM_GATES = 3;

type Load = (
  name: string,
  pid: number,
  at: Pick<LoadRequest, 'url' | 'body'> & Partial<Pick<LoadRequest, 'headers'>>,
  callers?: number,
) => Subject;

/** Starts the processes that measure a side; returns its subjects. */
export async function prepareSubjects(
  { stack }: Side,
  o: {
    readonly generator: Scripts['load-generator'];
    /** Starts a program of this tree. */
    readonly startOwn: StartScript;
    /** Starts a program of the side's tree. */
    readonly startTrees: StartScript;
  },
): Promise<Groups<readonly Subject[]>> {
  const connection = await prepareConnection(stack);
  const connectionId = String(connection);
  const load: Load = (name, pid, { headers = {}, ...at }, callers = CALLERS) => ({
    name,
    pid,
    run: (durationMs) => o.generator.request({ ...at, headers, callers, durationMs }),
  });
  const path = `/v1/connections/${connectionId}`;
  const rawHttp = await o.startTrees('raw-http');
  const express = await o.startTrees('bare-express');
  const stub = await o.startTrees('rpc-stub');
  const startEdgeStage = (stage: EdgeStage): Promise<Scripts['edge-stage']> =>
    o.startTrees(
      'edge-stage',
      stage,
      stub.hello.httpUrl,
      stack.mongodbUri,
      stack.natsUrl,
      stack.account.apiKey,
    );

  const gatewayPid = processOf(stack, 'services/gateway/src/main.ts');
  const headers = { 'x-api-key': stack.account.apiKey };
  const read = { url: stack.baseUrl + path, headers };
  const { path: executePath, body } = executeRoute(connection);
  const execution = { url: stack.baseUrl + executePath, headers, body: JSON.stringify(body) };
  const whoami = { url: `${stack.baseUrl}/v1/auth/whoami`, headers };

  const layers = [
    load(NAMES.limit, rawHttp.pid, { url: rawHttp.hello.url + path }),
    load(NAMES.express, express.pid, { url: express.hello.url + path }),
  ];
  for (const stage of EDGE_STAGES) {
    const { pid, hello } = await startEdgeStage(stage);
    layers.push(load(`+ ${STAGE_NAMES[stage]}`, pid, { url: hello.url + path, headers: hello.headers.key }));
  }
  layers.push(load(NAMES.stack, gatewayPid, read));

  const reader = await o.startOwn('mongo-reader', stack.mongodbUri, stack.account.accountId, connectionId);
  return {
    layers,
    gate: await prepareGates(path, load, startEdgeStage),
    routes: [load(NAMES.whoami, gatewayPid, whoami), load(NAMES.get, gatewayPid, read)],
    executions: [load(NAMES.execute, processOf(stack, 'services/tools/src/main.ts'), execution)],
    workers: [await prepareEvaluation(o.startOwn)],
    latency: [
      { name: NAMES.mongo, pid: reader.pid, run: (durationMs) => reader.request({ callers: 1, durationMs }) },
      load(NAMES.get, gatewayPid, read, 1),
      load(NAMES.whoami, gatewayPid, whoami, 1),
    ],
    transports: await prepareTransports(rawHttp, stub, o.startTrees),
  };
}

async function prepareGates(
  path: string,
  load: Load,
  startEdgeStage: (stage: EdgeStage) => Promise<Scripts['edge-stage']>,
): Promise<Subject[]> {
  const gates: Subject[] = [];
  for (let number = 0; number < WARM_GATES; number += 1) {
    const { pid, hello } = await startEdgeStage('gate');
    const url = hello.url + path;
    gates.push(
      load(NAMES.open, pid, { url: hello.url + OPEN_PATH + path }),
      load(NAMES.key, pid, { url, headers: hello.headers.key }),
      load(NAMES.bearer, pid, { url, headers: hello.headers.bearer }),
    );
  }
  const { pid, hello } = await startEdgeStage('cold-gate');
  const url = hello.url + path;
  gates.push(
    load('cold: API key that MongoDB is asked about, and both budgets', pid, {
      url,
      headers: hello.headers.key,
    }),
    load('cold: bearer token that is verified, and both budgets', pid, {
      url,
      headers: hello.headers.bearer,
    }),
  );
  return gates;
}

async function prepareEvaluation(start: StartScript): Promise<Subject> {
  const caller = await start('evaluation-caller');
  return {
    name: NAMES.evaluation,
    pid: caller.pid,
    run: (durationMs) => caller.request({ callers: CALLERS, durationMs }),
  };
}

async function prepareTransports(
  rawHttp: Scripts['raw-http'],
  stub: Scripts['rpc-stub'],
  start: StartScript,
): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const transport of TRANSPORTS) {
    const target = { 'raw-http': rawHttp.hello.url, grpc: stub.hello.grpcUrl }[transport as string];
    const caller = await start('rpc-caller', transport, target ?? stub.hello.httpUrl);
    subjects.push({
      name: transport,
      pid: caller.pid,
      otherPid: transport === 'raw-http' ? rawHttp.pid : stub.pid,
      run: (durationMs) => caller.request({ callers: CALLERS, durationMs }),
    });
  }
  return subjects;
}
