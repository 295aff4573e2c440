/** Orders of a lab study's tasks: each task stands at each place, and follows each other, equally often. */

/** The rows of a balanced Latin square, as `crowdlog.crowd.studies.latin_square` makes them. Person n takes row n, counted round. */
export function latinSquare(tasks: number): number[][] {
  const first = Array.from({ length: tasks }, (_x, place) => (place % 2 === 1 ? (place + 1) / 2 : (tasks - place / 2) % tasks));
  const rows = first.map((_x, shift) => first.map((task) => (task + shift) % tasks));
  return tasks % 2 === 1 ? [...rows, ...rows.map((row) => row.toReversed())] : rows;
}
