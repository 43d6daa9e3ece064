"""What the tests share: pages, servers, stages, strategies, oracles. No test stands here."""
