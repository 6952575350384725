/** The pending approvals of calls, by call. */
export interface Approvals {
  /** The id of the approval that was missing when this call was last refused. */
  find(call: unknown): string | undefined;
  set(call: unknown, approvalId: string): void;
  delete(call: unknown): void;
}

/** More calls than a person will approve in one conversation. */
const MAX_APPROVALS = 100;

/** A store in memory of the newest 100. Calls are equal if their JSON is, whatever the order of members. */
export function rememberApprovals(): Approvals {
  const ids = new Map<string, string>();
  return {
    find: (call) => ids.get(canonical(call)),
    set: (call, approvalId) => {
      ids.delete(canonical(call));
      ids.set(canonical(call), approvalId);
      const [oldest] = ids.keys();
      if (ids.size > MAX_APPROVALS && oldest !== undefined) ids.delete(oldest);
    },
    delete: (call) => void ids.delete(canonical(call)),
  };
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
