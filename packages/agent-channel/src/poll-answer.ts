import { isJson } from '@fairlead/service-kit/json/is-json';
import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import { z } from 'zod';
import { agentSettings, taskHead } from './messages.ts';
import type { AgentSettings } from './messages.ts';

export type AgentTask = Readonly<z.infer<typeof taskHead>> &
  (
    | {
        readonly kind: 'call';
        /** Version of the platform that sends the call. */
        readonly release: string;
        /** The encoded call, for createCallDecoder: a call that the agent cannot read fails alone. */
        readonly call: Uint8Array;
      }
    | { readonly kind: 'logs' }
    | { readonly kind: 'settings'; readonly settings: AgentSettings }
    /** A task of a kind from a later release, which the process refuses. */
    | { readonly kind: 'unknown' }
  );

export interface PollAnswer {
  readonly settings: AgentSettings;
  readonly tasks: readonly AgentTask[];
  readonly cancelledTaskIds: readonly string[];
}

const answerForm = z.object({ settings: agentSettings, cancelledTaskIds: z.array(z.string()) });
const callForm = z.object({ release: z.string() });
const settingsForm = z.object({ settings: agentSettings });

/** Parses the response to `POST /poll`. Throws if it is invalid. */
export function readPollAnswer(bytes: Uint8Array): PollAnswer {
  if (!isJson(bytes)) throw new Error('The answer to the poll is not JSON.');
  const members = membersIn(bytes);
  const { settings, cancelledTaskIds } = answerForm.parse(parsedWithout('tasks', members));
  const tasks = arraySlices(members.get('tasks') ?? new Uint8Array());
  if (tasks === undefined) throw new Error('The answer to the poll has no array of tasks.');
  return { settings, tasks: tasks.map(readTask), cancelledTaskIds };
}

function membersIn(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const members = objectSlices(bytes);
  if (members === undefined) throw new Error('A part of the answer to the poll is no object.');
  return members;
}

function parsedWithout(name: string, members: ReadonlyMap<string, Uint8Array>): Record<string, unknown> {
  const others = [...members].filter(([other]) => other !== name);
  return Object.fromEntries(
    others.map(([other, json]) => [other, JSON.parse(Buffer.from(json).toString()) as unknown]),
  );
}

function readTask(bytes: Uint8Array): AgentTask {
  const members = membersIn(bytes);
  // `call` is not parsed here: createCallDecoder caches the large definitions that it repeats.
  const task = parsedWithout('call', members);
  const { id, kind, remainingMs, hasEffects } = taskHead.parse(task);
  const head = { id, remainingMs, hasEffects };
  switch (kind) {
    case 'call':
      return { ...head, kind, ...callForm.parse(task), call: members.get('call') ?? new Uint8Array() };
    case 'logs':
      return { ...head, kind };
    case 'settings':
      return { ...head, kind, ...settingsForm.parse(task) };
    default:
      return { ...head, kind: 'unknown' };
  }
}
