import type { Handler, HandlerRegistry } from '@fairlead/connector-runtime/handler';

/** A connector's `handlers.ts`: its handlers by the name that the manifest uses. */
interface HandlerModule {
  readonly handlers: Readonly<Record<string, Handler>>;
}

/** Loaded on first use: most processes call few connectors. */
const MODULES = new Map<string, () => Promise<HandlerModule>>([
  ['http', () => import('./http/handlers.ts')],
  ['postgresql', () => import('./postgresql/handlers.ts')],
]);

/** The handlers of every connector in this build; rejects for a name that no connector has. */
export const connectorHandlers: HandlerRegistry = async (connectorSlug, name) => {
  const module = await MODULES.get(connectorSlug)?.();
  const handler =
    module !== undefined && Object.hasOwn(module.handlers, name) ? module.handlers[name] : undefined;
  if (handler === undefined) throw new Error(`The connector ${connectorSlug} has no handler ${name}.`);
  return handler;
};
