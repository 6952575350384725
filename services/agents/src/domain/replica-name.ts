/** Name of a process: its replica's address, and an id that changes with each start. */
export function replicaName(url: string, processId: string): string {
  return `${url.replace(/\/+$/, '')}#${processId}`;
}

/** Whether two processes have the same address. If so, the earlier one has ended. */
export function hasSameAddress(one: string, other: string): boolean {
  return addressIn(one) === addressIn(other);
}

/** The address of a process’s replica. */
export function addressIn(name: string): string {
  return name.split('#')[0] ?? '';
}
