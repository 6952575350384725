// Entry of the worker processes in tests of handler workers.
import type { Handler } from '../handler.ts';
import { HandlerError, InputError, parsedMembers } from '../handler.ts';
import { textOf } from '../templates.ts';
import { mcpHandlers } from '../mcp/handlers.ts';
import { serveHandlers } from '../workers/serve-handlers.ts';

const handlers: Readonly<Record<string, Handler>> = {
  returnCall: ({ connector, credential, fields, top, accountId }) =>
    Promise.resolve({
      slug: connector.slug,
      credential: credential.fields,
      fields: parsedMembers(fields),
      top: top ?? null,
      accountId,
    }),
  returnText: ({ fields }) => Promise.resolve({ text: 'x'.repeat(Number(fields['length'])) }),
  refuse: () => Promise.reject(new HandlerError('No luck.', { isUnauthorized: true })),
  refuseInputs: () => Promise.reject(new InputError([{ field: 'filters[0].field', issue: 'is unknown' }])),
  defect: ({ credential }) =>
    Promise.reject(new TypeError(`the handler is wrong with ${textOf(credential.fields['password'] ?? '')}`)),
  connect: async ({ egress, fields: given, signal }) => {
    const fields = parsedMembers(given);
    const socket = await egress.openSocket(textOf(fields['host'] ?? ''), Number(fields['port']), signal);
    socket.destroy();
    return {};
  },
  connectLater: ({ egress, fields: given }) => {
    const fields = parsedMembers(given);
    const connect = (): Promise<unknown> =>
      egress.openSocket(textOf(fields['host'] ?? ''), 80, new AbortController().signal);
    setTimeout(() => void connect().catch(() => undefined), 50);
    return Promise.resolve({});
  },
  wait: ({ signal }) =>
    new Promise((_resolve, reject) => {
      const cancel = (): void => reject(new HandlerError('Cancelled.'));
      if (signal.aborted) cancel();
      else signal.addEventListener('abort', cancel);
    }),
  throwLater: ({ credential }) => {
    setImmediate(() => {
      throw new Error(`in a listener\n    at ${textOf(credential.fields['password'] ?? '')}:1:1`);
    });
    return new Promise(() => {});
  },
};

serveHandlers((slug, name) => {
  const handler = slug === 'mcp' ? mcpHandlers[name] : handlers[name];
  return handler === undefined
    ? Promise.reject(new Error(`${slug} has no ${name}`))
    : Promise.resolve(handler);
});
