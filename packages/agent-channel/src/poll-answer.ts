import { isJson } from '@fairlead/service-kit/json/is-json';
import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import { z } from 'zod';
import { agentSettings, taskHead } from './messages.ts';
import type { AgentSettings } from './messages.ts';

/** A task of an agent. */
export type AgentTask = Readonly<z.infer<typeof taskHead>> &
  (
    | {
        readonly kind: 'call';
        /** Version of the platform that sends the call. */
        readonly release: string;
        /** For createCallDecoder: a call that the agent cannot read fails alone. */
        readonly call: Uint8Array;
      }
    | { readonly kind: 'logs' }
    | { readonly kind: 'settings'; readonly settings: AgentSettings }
    /** A kind of a later release, which the process refuses. */
    | { readonly kind: 'unknown' }
  );

/** The answer to a poll. */
export interface PollAnswer {
  readonly settings: AgentSettings;
  readonly tasks: readonly AgentTask[];
  readonly cancelledTaskIds: readonly string[];
}

const answerForm = z.object({
  settings: agentSettings,
  tasks: z.array(z.looseObject(taskHead.shape)),
  cancelledTaskIds: z.array(z.string()),
});
const callForm = z.object({ release: z.string() });
const settingsForm = z.object({ settings: agentSettings });

/** Reads the body of an answer to `POST /poll`. Throws if it does not have its form. */
export function readPollAnswer(bytes: Uint8Array): PollAnswer {
  if (!isJson(bytes)) throw new Error('The answer to the poll is not JSON.');
  const { settings, tasks, cancelledTaskIds } = answerForm.parse(JSON.parse(Buffer.from(bytes).toString()));
  const slices = arraySlices(objectSlices(bytes)?.get('tasks') ?? new Uint8Array()) ?? [];
  return {
    settings,
    tasks: tasks.map((task, at) => readTask(task, slices[at] ?? new Uint8Array())),
    cancelledTaskIds,
  };
}

function readTask(task: z.infer<typeof taskHead>, bytes: Uint8Array): AgentTask {
  const { id, kind, remainingMs, hasEffects } = task;
  const head = { id, remainingMs, hasEffects };
  switch (kind) {
    case 'call': {
      const call = objectSlices(bytes)?.get('call') ?? new Uint8Array();
      return { ...head, kind, ...callForm.parse(task), call };
    }
    case 'logs':
      return { ...head, kind };
    case 'settings':
      return { ...head, kind, ...settingsForm.parse(task) };
    default:
      return { ...head, kind: 'unknown' };
  }
}
