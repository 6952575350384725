import { z } from 'zod';
import { MAX_TASKS_IN_HAND } from './channel.ts';

const MAX_PARALLEL_TASKS = 100;
const MAX_PROFILES = 200;
const MAX_TASK_ID_LENGTH = 64;
const MAX_ERROR_LENGTH = 8_000;

/** The log levels of agents, the lowest first. */
export const LOG_LEVELS = ['Trace', 'Debug', 'Information', 'Warning', 'Error'] as const;

/** The settings that an agent works with. `pullPeriodSeconds` is the longest wait of a poll. */
export const agentSettings = z.object({
  parallelTasks: z.int().min(1),
  pullPeriodSeconds: z.int().min(1),
  logLevel: z.enum(LOG_LEVELS),
});

export type AgentSettings = Readonly<z.infer<typeof agentSettings>>;

const shortText = z.string().min(1).max(64);

/** The name and type of a credential in the agent's own configuration. The platform never gets its values. */
const agentProfile = z.object({ name: shortText, type: shortText });

export type AgentProfile = Readonly<z.infer<typeof agentProfile>>;

/** The body of `POST /hello`. `platform` is such as linux-x64. */
export const helloRequest = z.object({
  version: shortText,
  platform: shortText,
  profiles: z.array(agentProfile).max(MAX_PROFILES).default([]),
});

/** The description that a process gives of itself. */
export type HelloRequest = Readonly<z.infer<typeof helloRequest>>;

/** The answer to `POST /hello`. */
export const helloResponse = z.object({
  agentId: z.int(),
  name: z.string(),
  applicationSlug: z.string(),
  settings: agentSettings,
});

const taskId = z.string().min(1).max(MAX_TASK_ID_LENGTH);

/** The body of `POST /poll`. `taskIds`: the tasks that the process runs, and the finished ones whose result is not delivered. */
export const pollRequest = z.object({
  freeSlots: z.int().min(0).max(MAX_PARALLEL_TASKS),
  taskIds: z.array(taskId).max(MAX_TASKS_IN_HAND),
});

/** A poll of an agent. */
export type PollRequest = Readonly<z.infer<typeof pollRequest>>;

/**
 * The members that every task has. `remainingMs`: time until its deadline. `hasEffects`: the process may begin it only after
 * `POST /tasks/{id}/start` was answered with 204.
 */
export const taskHead = z.object({
  id: taskId,
  kind: z.string(),
  remainingMs: z.int(),
  hasEffects: z.boolean(),
});

/** The result of a task that returns no output: settings, and logs whose collection failed. */
export const plainOutcome = z.discriminatedUnion('isSuccess', [
  z.object({ isSuccess: z.literal(true) }),
  z.object({ isSuccess: z.literal(false), errorMessage: z.string().max(MAX_ERROR_LENGTH) }),
]);

/** A result without an output. */
export type PlainOutcome = z.infer<typeof plainOutcome>;
