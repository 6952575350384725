/** The addresses of a service, which change as its replicas come and go. */
export interface LiveAddresses {
  /** Base URLs, each once; empty while none is known. */
  readonly current: () => readonly string[];
  /** Calls `onChange` after each change, until the returned function is called. */
  readonly subscribe: (onChange: (change: AddressChange) => void) => () => void;
  /** Looks the addresses up again, or waits for the look-up that is under way. Resolves within a second and never rejects. */
  readonly renew: () => Promise<void>;
}

/** The addresses of a service: base URLs that are fixed, or that change. */
export type Addresses = readonly string[] | LiveAddresses;

interface AddressChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The addresses that a look-up has found last. */
interface AddressList extends Pick<LiveAddresses, 'current' | 'subscribe'> {
  /** Replaces the addresses; subscribers are called if they differ. */
  readonly replace: (addresses: readonly string[]) => void;
}

/** A list that starts with `current`. */
export function createAddressList(current: readonly string[] = []): AddressList {
  const subscribers = new Set<(change: AddressChange) => void>();
  return {
    current: () => current,
    subscribe(onChange) {
      subscribers.add(onChange);
      return () => void subscribers.delete(onChange);
    },
    replace(addresses) {
      const former = current;
      const next = [...new Set(addresses)];
      const added = next.filter((address) => !former.includes(address));
      const removed = former.filter((address) => !next.includes(address));
      if (added.length === 0 && removed.length === 0) return;
      current = next;
      for (const onChange of subscribers) onChange({ added, removed });
    },
  };
}
