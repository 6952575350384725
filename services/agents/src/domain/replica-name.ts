/** The name of a process: the address of its replica, and an id that a restarted one does not have. */
export function replicaName(url: string, processId: string): string {
  return `${url.replace(/\/+$/, '')}#${processId}`;
}

/** Whether two processes have the same address, so that the earlier one has ended. */
export function hasSameAddress(one: string, other: string): boolean {
  return addressIn(one) === addressIn(other);
}

/** The address of a process’s replica. */
export function addressIn(name: string): string {
  return name.split('#')[0] ?? '';
}
