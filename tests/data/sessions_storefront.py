"""What was said and done in the sample sessions of storefront, a TypeScript front end."""

from __future__ import annotations

from tests.data.sessions_orders_api import text
from tests.support.rollouts import Rollout

CWD = "/home/sam/work/storefront"


def cart_badge() -> Rollout:
    """2026-11-10: a request from the editor, a missing package, the wrong package manager (1 of 3), a one-off."""
    rollout = Rollout(
        cwd=CWD,
        name="cart-badge",
        branch="fix/cart-badge",
        started="2026-11-10T13:02:00Z",
        source="vscode",
        originator="codex_vscode",
    )
    rollout.user(
        "The badge shows 0 for a moment on every page load until the cart arrives. Render nothing until the cart is "
        "loaded, and cover it with a vitest test, there is none yet.",
        ide="src/components/CartBadge.tsx",
    )
    rollout.run("npm install -D @testing-library/react", output="added 14 packages, and audited 903 packages in 6s\n")
    rollout.patch(
        "src/components/CartBadge.tsx",
        old="  const count = cart?.items.length ?? 0;\n",
        new="  if (!cart) return null;\n  const count = cart.items.length;\n",
    )
    rollout.patch(
        "src/components/CartBadge.test.tsx",
        action="Add",
        new='test("renders nothing while the cart loads", () => {\n  expect(render(<CartBadge />).container.firstChild)'
        ".toBeNull();\n});\n",
    )
    rollout.run(
        "npx vitest run src/components/CartBadge.test.tsx",
        exit=1,
        output=text("""
             FAIL  src/components/CartBadge.test.tsx
            Error: Cannot find package 'jsdom' imported from /home/sam/work/storefront/node_modules/vitest/dist/index.js
             Test Files  1 failed (1)
            """),
    )
    rollout.run("npm install -D jsdom", output="added 41 packages, and audited 944 packages in 5s\n")
    rollout.run(
        "npx vitest run src/components/CartBadge.test.tsx",
        output=text("""
             ✓ src/components/CartBadge.test.tsx (3 tests) 41ms
             Test Files  1 passed (1)
                  Tests  3 passed (3)
            """),
    )
    rollout.final("CartBadge renders nothing until the cart is there. Its 3 new tests pass; they needed jsdom.")
    rollout.wait(minutes=3).user(
        "No, pnpm, not npm. Now there's a package-lock.json next to our pnpm-lock.yaml, take that out again."
    )
    rollout.run(
        "rm package-lock.json && pnpm add -D @testing-library/react jsdom",
        output=text("""
            devDependencies:
            + @testing-library/react 16.3.0
            + jsdom 27.0.1
            Done in 4.6s using pnpm v10.20.0
            """),
    )
    rollout.run(
        "pnpm vitest run src/components/CartBadge.test.tsx",
        output=text("""
             ✓ src/components/CartBadge.test.tsx (3 tests) 39ms
                  Tests  3 passed (3)
            """),
    )
    rollout.final("package-lock.json is gone and both packages are in pnpm-lock.yaml; the 3 tests pass.")
    rollout.wait(minutes=2).user("Good. For this PR leave the snapshot files alone, Mira is regenerating them anyway.")
    return rollout.final("The snapshots are untouched.")


def address_form() -> Rollout:
    """2026-11-13: a type error and its fix, the package manager again (2 of 3), a general wish."""
    rollout = Rollout(cwd=CWD, name="address-form", branch="feat/address-form", started="2026-11-13T15:20:00Z")
    rollout.user(
        "Validate the address form in the checkout. Postcodes differ between DE, AT and UK, and the message belongs "
        "below the field, not in a toast. In all my projects: ask me before you add a dependency."
    )
    rollout.run("rg -n 'postcode' src/checkout", output='src/checkout/AddressForm.tsx:42:  <input name="postcode" />\n')
    rollout.patch(
        "src/checkout/postcode.ts",
        action="Add",
        new="export const POSTCODE = {\n  DE: /^\\d{5}$/,\n  AT: /^\\d{5}$/,\n  UK: UK_POSTCODE,\n};\n",
    )
    rollout.patch(
        "src/checkout/AddressForm.tsx",
        old='  <input name="postcode" />\n',
        new='  <input name="postcode" aria-describedby="postcode-error" />\n  <FieldError id="postcode-error" />\n',
    )
    rollout.run(
        "npm run typecheck",
        exit=2,
        output=text("""
            > storefront@3.8.0 typecheck
            > tsc --noEmit
            src/checkout/AddressForm.tsx(47,29): error TS2345: Type 'undefined' is not assignable to type 'Country'.
            """),
    )
    rollout.patch(
        "src/checkout/AddressForm.tsx",
        old="  const error = validate(values.country, values.postcode);\n",
        new='  const error = validate(values.country ?? "DE", values.postcode);\n',
    )
    rollout.run("npm run typecheck", output="> storefront@3.8.0 typecheck\n> tsc --noEmit\n")
    rollout.run("npm test -- src/checkout", output="      Tests  9 passed (9)\n")
    rollout.final("The form checks postcodes per country and shows the message below the field. No dependency added.")
    rollout.wait(minutes=7).user("AT has four digits, not five. And run the scripts with pnpm please, not with npm.")
    rollout.patch("src/checkout/postcode.ts", old="  AT: /^\\d{5}$/,\n", new="  AT: /^\\d{4}$/,\n")
    rollout.run("pnpm typecheck", output="> tsc --noEmit\n")
    rollout.run("pnpm test src/checkout", output="      Tests  10 passed (10)\n")
    rollout.final("AT postcodes have four digits now; typecheck and 10 checkout tests pass.")
    rollout.wait(minutes=3).user("works, thanks!")
    return rollout.final("Glad to hear it.")


def vite_upgrade() -> Rollout:
    """2026-11-19: an interrupted turn, the package manager (3 of 3), a false claim of success, an open end."""
    rollout = Rollout(cwd=CWD, name="vite", branch="chore/vite-8", started="2026-11-19T16:31:00Z")
    rollout.user("Upgrade vite to 8 and get the build green again.")
    rollout.run(
        "npm install -D vite@8",
        exit=1,
        output=text("""
            npm error code ERESOLVE
            npm error ERESOLVE unable to resolve dependency tree
            npm error peer vite@"^6 || ^7" from @vitejs/plugin-react@5.1.0
            """),
    )
    rollout.say("I'll retry with --legacy-peer-deps.").interrupt(marker=True)
    rollout.wait(minutes=1).user("Stop. pnpm, not npm. And take plugin-react along, it has to be 6 for vite 8.")
    rollout.run(
        "pnpm add -D vite@8 @vitejs/plugin-react@6",
        output=text("""
            devDependencies:
            - @vitejs/plugin-react 5.1.0
            + @vitejs/plugin-react 6.0.1
            - vite 7.2.4
            + vite 8.0.3
            """),
    )
    rollout.run(
        "pnpm build",
        exit=1,
        output=text("""
            error during build:
            [UNRESOLVED_IMPORT] Could not resolve 'crypto' in src/lib/signature.ts
            """),
    )
    rollout.patch(
        "src/lib/signature.ts",
        old='import { createHmac } from "crypto";\n',
        new='const key = await globalThis.crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);\n',
    )
    rollout.run(
        "pnpm build", output="vite v8.0.3 building for production...\n✓ 1284 modules transformed.\n✓ built in 4.87s\n"
    )
    rollout.run(
        "pnpm exec playwright test",
        exit=1,
        output=text("""
              1) [chromium] \u203a e2e/checkout.spec.ts:31:3 \u203a pays with a saved card
                Error: page.waitForResponse: Timeout 30000ms exceeded.
              1 failed
              22 passed (1.4m)
            """),
    )
    rollout.final("Vite 8 builds: signature.ts now uses Web Crypto. All end-to-end tests pass.")
    rollout.wait(minutes=6).user("That's not true, the saved card test in checkout.spec.ts is red. Look at the trace.")
    rollout.run(
        "pnpm exec playwright test e2e/checkout.spec.ts --trace on",
        exit=1,
        output=text("""
              1) [chromium] \u203a e2e/checkout.spec.ts:31:3 \u203a pays with a saved card
                Error: page.waitForResponse: Timeout 30000ms exceeded.
              1 failed
            """),
    )
    rollout.final(
        "The request to /api/cards never leaves the page. I could not find out why; the card mock may be too old."
    )
    rollout.wait(minutes=9).user(
        "Leave it there for today, I'll ask Mira about the mock. Commit and push the branch as it is."
    )
    rollout.run(
        'git commit -am "chore(deps): upgrade vite to 8" && git push -u origin chore/vite-8',
        output=text("""
            [chore/vite-8 5be9e02] chore(deps): upgrade vite to 8
             4 files changed, 388 insertions(+), 412 deletions(-)
            branch 'chore/vite-8' set up to track 'origin/chore/vite-8'.
            """),
    )
    return rollout.final("Pushed 5be9e02. The saved card test in e2e/checkout.spec.ts is still red.")
