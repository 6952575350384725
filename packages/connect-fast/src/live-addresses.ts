/** The addresses of a service, which change as its replicas come and go. */
export interface LiveAddresses {
  /** Base URLs without duplicates; empty while none is known. */
  readonly current: () => readonly string[];
  /** Calls `onChange` after each change, until the returned function is called. */
  readonly subscribe: (onChange: (change: AddressChange) => void) => () => void;
  /** Looks the addresses up again, or joins a look-up in progress. Resolves within a second and never rejects. */
  readonly renew: () => Promise<void>;
}

/** A service's addresses: fixed base URLs, or a changing list. */
export type Addresses = readonly string[] | LiveAddresses;

interface AddressChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The result of the last look-up. */
interface AddressList extends Pick<LiveAddresses, 'current' | 'subscribe'> {
  /** Replaces the addresses, and calls the subscribers if they differ. */
  readonly replace: (addresses: readonly string[]) => void;
}

/** A list with these initial addresses. */
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
