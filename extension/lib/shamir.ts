/** Shamir's secret sharing over the scalar field: a client makes shares, k of them give the value at 0. */

import { modulo, Point } from "./group.ts";

export type Share = readonly [x: bigint, y: bigint];

/** The polynomial's value at x; the constant coefficient comes first. */
export function value(polynomial: readonly bigint[], x: bigint): bigint {
  return polynomial.reduceRight((result, coefficient) => modulo(result * x + coefficient), 0n);
}

/** The value at 0 of the polynomial through these shares. */
export function secret(shares: readonly Share[]): bigint {
  return shares.reduce((sum, [x, y]) => {
    const others = shares.filter(([other]) => other !== x);
    const numerator = others.reduce((product, [other]) => modulo(product * other), y);
    const denominator = others.reduce((product, [other]) => modulo(product * (other - x)), 1n);
    return modulo(sum + numerator * Point.Fn.inv(denominator));
  }, 0n);
}
