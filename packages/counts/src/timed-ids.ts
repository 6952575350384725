/** Ids that sort by the time at which their rows were created. */
export interface TimedIds<Id> {
  /** The smallest id of a time. */
  firstOf(time: Date): Id;
  timeOf(id: Id): Date;
}
