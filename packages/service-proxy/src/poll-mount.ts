import type { Mount } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { ServiceProxy } from './service-proxy.ts';

/** A mount with one path for long polls. */
export interface PollMount {
  readonly mount: Mount;
  /** Ends open and later polls with 204, so that their clients poll another replica. */
  drain(): void;
}

const NO_CONTENT = 204;

/** Passes requests below `prefix` on; `pollPath` is the address of the polls. */
export function createPollMount(
  proxy: Pick<ServiceProxy, 'mount'>,
  { prefix, pollPath }: { readonly prefix: Mount['prefix']; readonly pollPath: string },
): PollMount {
  const mount = proxy.mount(prefix);
  const open = new Set<() => void>();
  let isDraining = false;
  return {
    mount: {
      ...mount,
      async handle(exchange, request, response) {
        const [path] = request.originalUrl.split('?');
        if (path !== pollPath) return mount.handle(exchange, request, response);
        const end = (): void => sendJson(response, NO_CONTENT);
        if (isDraining) return end();
        open.add(end);
        try {
          await mount.handle(exchange, request, response);
        } finally {
          open.delete(end);
        }
      },
    },
    drain() {
      isDraining = true;
      for (const end of open) end();
    },
  };
}
