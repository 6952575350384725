import type { Json } from '@fairlead/connector-model/model';

/** Sets a member, even one named `__proto__`, for which an assignment would set the prototype. */
export function setMember(object: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
