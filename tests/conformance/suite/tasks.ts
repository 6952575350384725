import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  isInputRequiredResult,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SuiteTool } from './asking-tools.ts';
import { TASK_TOOLS } from './task-tools.ts';

/** The extension's name in capabilities. */
export const TASKS = 'io.modelcontextprotocol/tasks';

const TTL_MS = 600_000;
const POLL_MS = 100;
const MISSING_CAPABILITY = -32_021;
const HEADER_MISMATCH = -32_020;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

type Values = Readonly<Record<string, unknown>>;

const values = z.record(z.string(), z.unknown());
/** A message that may be about tasks. */
const message = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.enum(['tools/call', 'tasks/get', 'tasks/update', 'tasks/cancel']),
  params: z.looseObject({
    name: z.string().optional(),
    taskId: z.string().optional(),
    arguments: values.optional(),
    inputResponses: values.optional(),
    _meta: z.looseObject({
      [PROTOCOL_VERSION_META_KEY]: z.literal('2026-07-28'),
      [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: values.optional() }).optional(),
    }),
  }),
});
type Message = z.infer<typeof message>;

/** A call that continues after its request was answered. */
class Task {
  readonly id = randomUUID();
  readonly #createdAt = new Date().toISOString();
  readonly #stopping = new AbortController();
  #lastUpdatedAt = this.#createdAt;
  #status = 'working';
  #outcome: Values = {};
  #asked: Values = {};
  #told: Values = {};
  #resume: () => void = () => undefined;

  constructor(call: SuiteTool, args: Values, told: Values) {
    this.#told = told;
    void this.#run(call, args);
  }

  get summary(): Values {
    return {
      taskId: this.id,
      status: this.#status,
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#lastUpdatedAt,
      ttlMs: TTL_MS,
      pollIntervalMs: POLL_MS,
    };
  }

  get detail(): Values {
    const asked = this.#status === 'input_required' ? { inputRequests: this.#asked } : {};
    return { ...this.summary, ...this.#outcome, ...asked };
  }

  tell(responses: Values): void {
    const known = Object.entries(responses).filter(([key]) => key in this.#asked);
    this.#told = { ...this.#told, ...Object.fromEntries(known) };
    this.#asked = Object.fromEntries(Object.entries(this.#asked).filter(([key]) => !(key in this.#told)));
    if (Object.keys(this.#asked).length === 0) this.#resume();
  }

  cancel(): void {
    if (this.#status === 'working' || this.#status === 'input_required') this.#settle('cancelled', {});
    this.#stopping.abort();
  }

  async #run(call: SuiteTool, args: Values): Promise<void> {
    try {
      const result = await this.#rounds(call, args);
      if (!this.#stopping.signal.aborted) this.#settle('completed', { result });
    } catch (error) {
      const failed = { error: { code: INTERNAL_ERROR, message: String(error) } };
      if (!this.#stopping.signal.aborted) this.#settle('failed', failed);
    }
  }

  /** Repeats the call of the tool with the client's answers until it requests nothing more. */
  async #rounds(call: SuiteTool, args: Values): Promise<CallToolResult> {
    for (;;) {
      const { signal } = this.#stopping;
      // Tools that run as tasks ignore this.
      const mcpReq = { inputResponses: this.#told, signal } as ServerContext['mcpReq'];
      const result = await call(args, { mcpReq });
      if (!isInputRequiredResult(result)) return result;
      this.#asked = result.inputRequests ?? {};
      this.#become('input_required');
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
      this.#become('working');
    }
  }

  #settle(status: string, outcome: Values): void {
    this.#outcome = outcome;
    this.#become(status);
  }

  #become(status: string): void {
    this.#status = status;
    this.#lastUpdatedAt = new Date().toISOString();
  }
}

/** Answers messages about tasks; `undefined` for other messages. */
export type TaskRequests = (body: unknown, headers: Headers) => Promise<Response | undefined>;

/** Makes tools run as tasks for clients that support tasks. */
export function createTasks(): TaskRequests {
  const tasks = new Map<string, Task>();

  const onTool = async ({ id, params }: Message): Promise<Response | undefined> => {
    const tool = TASK_TOOLS.get(params.name ?? '');
    if (tool === undefined) return undefined;
    if (!canFollow(params)) return tool.isTaskOnly ? refuseUndeclared(id) : undefined;
    if (tool.asksFirst === true && params.inputResponses === undefined) return undefined;
    const task = new Task(tool.call, params.arguments ?? {}, params.inputResponses ?? {});
    tasks.set(task.id, task);
    return answer(id, { resultType: 'task', ...task.summary });
  };

  const onTask = ({ id, method, params }: Message): Response => {
    if (!canFollow(params)) return refuseUndeclared(id);
    const task = tasks.get(params.taskId ?? '');
    if (task === undefined) return refuse(id, INVALID_PARAMS, 'There is no such task.');
    if (method === 'tasks/get') return answer(id, { resultType: 'complete', ...task.detail });
    if (method === 'tasks/update') task.tell(params.inputResponses ?? {});
    else task.cancel();
    return answer(id, { resultType: 'complete' });
  };

  return async (body, headers) => {
    const { success, data } = message.safeParse(body);
    if (!success || !isModern(data)) return undefined;
    if (data.method === 'tools/call') return isAsNamed(data, headers) ? onTool(data) : undefined;
    if (!isAsNamed(data, headers))
      return refuse(data.id, HEADER_MISMATCH, 'The headers name another request.');
    return onTask(data);
  };
}

const isModern = ({ params }: Message): boolean => params._meta[PROTOCOL_VERSION_META_KEY] === '2026-07-28';

/** Whether headers and body agree. */
function isAsNamed({ method, params }: Message, headers: Headers): boolean {
  const name = method === 'tools/call' ? params.name : params.taskId;
  return headers.get('mcp-method') === method && headers.get('mcp-name') === name;
}

function canFollow({ _meta }: Message['params']): boolean {
  const { extensions } = z
    .object({ extensions: values.optional() })
    .parse(_meta[CLIENT_CAPABILITIES_META_KEY] ?? {});
  return extensions?.[TASKS] !== undefined;
}

const answer = (id: string | number, result: Values): Response =>
  Response.json({ jsonrpc: '2.0', id, result });

function refuse(id: string | number, code: number, text: string, data?: Values): Response {
  const error = { code, message: text, ...(data !== undefined && { data }) };
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
}

const refuseUndeclared = (id: string | number): Response =>
  refuse(id, MISSING_CAPABILITY, 'The client must be able to follow tasks.', {
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  });
