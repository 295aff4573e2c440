from xml.etree import ElementTree

import numpy as np

from crowdlog.artifacts.semantic.figures import NeighbourhoodQuery, curves_against_k, draw_neighbourhood

SVG = "{http://www.w3.org/2000/svg}"


def test_curves_are_svg_and_name_their_lines():
    drawn = curves_against_k({"KA": np.array([1, 0.5]), "SKA": np.array([1, 0.8])}, "share", ks=(1, 10))
    root = ElementTree.fromstring(drawn)  # noqa: S314 - our own output
    assert root.tag == f"{SVG}svg"
    assert {"KA", "SKA", "share"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_neighbourhood_draws_every_query_and_pair_and_escapes():
    nodes = [
        NeighbourhoodQuery("a <b> & c", 1, 3),
        NeighbourhoodQuery("b", 2, 3),
        NeighbourhoodQuery("c", 1, 2),
    ]
    root = ElementTree.fromstring(draw_neighbourhood(nodes, [(1, 0), (2, 0)]))  # noqa: S314 - our own output
    assert len(list(root.iter(f"{SVG}circle"))) == 3
    assert len(list(root.iter(f"{SVG}line"))) == 2
    assert "1) a <b> & c · 1 user · degree 3" in [text.text for text in root.iter(f"{SVG}text")]
    darkness = [circle.get("fill") for circle in root.iter(f"{SVG}circle")]
    assert darkness[0] == darkness[1] != darkness[2]
