import type { SentMessage, SentMessages } from '../sent-messages.ts';

/** Keeps messages in memory, forever. */
export function memorySent(): SentMessages {
  const kept: (SentMessage & { readonly key: string })[] = [];
  return {
    add(key, json) {
      const id = `s.${kept.length}`;
      kept.push({ key, json, id });
      return Promise.resolve(id);
    },
    after: (key, lastEventId) =>
      Promise.resolve(kept.slice(Number(lastEventId.slice(2)) + 1).filter((one) => one.key === key)),
  };
}
